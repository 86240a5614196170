public import Cryptography

/// The issuer's signature over the card's static data (tag 93; EMV Book 2 §5.4).
public struct SignedStaticApplicationData: Hashable, Sendable {
    /// Data authentication code (9F45), 2 bytes.
    public let dataAuthenticationCode: [UInt8]

    /// Recovers the signature with all checks of EMV Book 2 §5.4.
    ///
    /// - Parameters:
    ///   - encoded: tag 93, as long as the issuer's modulus.
    ///   - issuer: the issuer's recovered key.
    ///   - staticData: the static data to be authenticated (EMV Book 3 §10.3).
    /// - Throws: ``SignedApplicationDataError``
    public init(
        opening encoded: [UInt8], issuer: IssuerPublicKey, staticData: [UInt8]
    ) throws(SignedApplicationDataError) {
        let signed = try SignedRecoverableData(opening: encoded, .static, key: issuer.key, rest: staticData)
        dataAuthenticationCode = Array(signed.content.dropFirst(2).prefix(2))
    }
}

/// The card's signature (tag 9F4B) over terminal data (DDA, EMV Book 2 §6.5.2) or also over its cryptogram (CDA, EMV
/// Book 2 §6.6.2).
public struct SignedDynamicApplicationData: Hashable, Sendable {
    /// The data that a card signs in CDA.
    public struct Combined: Hashable, Sendable {
        /// Must match tag 9F27 of the response.
        public let information: CryptogramInformationData
        /// Tag 9F26: 8 bytes.
        public let cryptogram: [UInt8]
        /// SHA-1 over the data sent in this transaction and the card's response, 20 bytes.
        public let transactionDataHash: [UInt8]
    }

    /// ICC dynamic number (9F4C), 2...8 bytes.
    public let dynamicNumber: [UInt8]
    /// The part that CDA adds; nil in DDA.
    public let combined: Combined?

    /// Recovers the signature and checks it, except for its data about the cryptogram.
    ///
    /// - Parameters:
    ///   - encoded: tag 9F4B, as long as the card's modulus.
    ///   - key: the card's recovered key.
    ///   - terminalData: the terminal data that the signature covers: in DDA the filled DDOL, in CDA the unpredictable
    ///     number (9F37).
    /// - Throws: ``SignedApplicationDataError``
    public init(
        opening encoded: [UInt8], key: ICCPublicKey, terminalData: [UInt8]
    ) throws(SignedApplicationDataError) {
        let signed = try SignedRecoverableData(opening: encoded, .dynamic, key: key.key, rest: terminalData)
        let content = signed.content.dropFirst(2)
        let malformed = SignedApplicationDataError(.dynamic, .dynamicData)
        guard let length = content.first, content.count > length else { throw malformed }
        let data = content.dropFirst().prefix(Int(length))
        guard let count = data.first, (2...8).contains(count), data.count > count else { throw malformed }
        dynamicNumber = Array(data.dropFirst().prefix(Int(count)))
        let rest = data.dropFirst(1 + Int(count))
        combined =
            if let information = rest.first, rest.count >= 29 {
                Combined(
                    information: CryptogramInformationData(rawValue: information),
                    cryptogram: Array(rest.dropFirst().prefix(8)),
                    transactionDataHash: Array(rest.dropFirst(9).prefix(20)))
            } else {
                nil
            }
    }
}

/// Why signed application data was rejected: which signature failed which check of EMV Book 2 §5.4, §6.5.2, or §6.6.2.
/// Contains no card data.
public struct SignedApplicationDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of signature.
    public enum Signature: String, Hashable, Sendable {
        /// Tag 93, signed by the issuer.
        case `static` = "signed static application data (93)"
        /// Tag 9F4B, signed by the card.
        case dynamic = "signed dynamic application data (9F4B)"
    }

    /// The check that failed.
    public enum Defect: Hashable, Sendable {
        /// The signature is not as long as the signer's modulus.
        case length(expected: Int, actual: Int)
        /// The last recovered byte is not BC: signed with another key.
        case trailer
        /// The first recovered byte is not 6A.
        case header
        /// The format byte belongs to another kind of signature.
        case format(UInt8)
        /// The hash does not match the data.
        case hash
        /// The hash algorithm is not SHA-1.
        case hashAlgorithm(UInt8)
        /// The card's dynamic data is too short, longer than the signature, or has no dynamic number of 2...8 bytes.
        case dynamicData
        /// The signature is not below the modulus, or libcrypto failed.
        case cryptography(CryptographyError)
    }

    public let signature: Signature
    public let defect: Defect

    init(_ signature: Signature, _ defect: Defect) { (self.signature, self.defect) = (signature, defect) }

    init(_ signature: Signature, opening failure: SignedRecoverableData.Failure) {
        let defect: Defect =
            switch failure {
            case .length(let expected, let actual): .length(expected: expected, actual: actual)
            case .trailer: .trailer
            case .header: .header
            case .cryptography(let error): .cryptography(error)
            }
        self.init(signature, defect)
    }

    public var description: String {
        let defect =
            switch defect {
            case .length(let expected, let actual): "\(actual) bytes instead of \(expected)"
            case .trailer: "wrong trailer, signed with another key"
            case .header: "wrong header"
            case .format(let byte): "signed data format \(byte)"
            case .hash: "wrong hash"
            case .hashAlgorithm(let byte): "unknown hash algorithm \(byte)"
            case .dynamicData: "the card's dynamic data is malformed"
            case .cryptography(let error): error.description
            }
        return "\(signature.rawValue): \(defect)"
    }
}

extension SignedRecoverableData {
    /// Recovers signed application data and makes the checks common to static and dynamic data: trailer, header,
    /// format, hash over the content and `rest`, hash algorithm.
    init(
        opening encoded: [UInt8], _ signature: SignedApplicationDataError.Signature, key: RSAPublicKey, rest: [UInt8]
    ) throws(SignedApplicationDataError) {
        do throws(Failure) { self = try SignedRecoverableData(opening: encoded, with: key) } catch {
            throw SignedApplicationDataError(signature, opening: error)
        }
        // The shortest modulus has 64 bytes, so the fixed fields always fit.
        let (format, algorithm) = (content.first ?? 0, content.dropFirst().first ?? 0)
        guard format == (signature == .static ? 3 : 5) else { throw .init(signature, .format(format)) }
        let isGenuine: Bool
        do throws(CryptographyError) { isGenuine = try matches(rest) } catch {
            throw .init(signature, .cryptography(error))
        }
        guard isGenuine else { throw .init(signature, .hash) }
        guard algorithm == 1 else { throw .init(signature, .hashAlgorithm(algorithm)) }
    }
}
