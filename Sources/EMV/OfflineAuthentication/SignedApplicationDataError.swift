public import Cryptography

/// Why signed application data was not accepted: which signature, and which check of EMV Book 2 §5.4, §6.5.2 or
/// §6.6.2. Carries no card data.
public struct SignedApplicationDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whose signature.
    public enum Signature: String, Hashable, Sendable {
        /// Tag 93, of the issuer.
        case `static` = "signed static application data (93)"
        /// Tag 9F4B, of the card.
        case dynamic = "signed dynamic application data (9F4B)"
    }

    /// What is wrong with it.
    public enum Defect: Hashable, Sendable {
        /// Not as long as the modulus of the key that signs it.
        case length(expected: Int, actual: Int)
        /// The last recovered byte is not BC: signed with another key.
        case trailer
        /// The first recovered byte is not 6A.
        case header
        /// The format byte is of another kind of signature.
        case format(UInt8)
        /// The hash is not that of the data.
        case hash
        /// A hash algorithm that is not SHA-1.
        case hashAlgorithm(UInt8)
        /// The card's dynamic data are too short, longer than the signature, or hold no number of 2...8 bytes.
        case dynamicData
        /// Not below the modulus, or libcrypto failed.
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
            case .dynamicData: "the card's dynamic data are malformed"
            case .cryptography(let error): error.description
            }
        return "\(signature.rawValue): \(defect)"
    }
}

extension SignedRecoverableData {
    /// Opens signed application data and checks all that the static and the dynamic kind have in common: trailer,
    /// header, format, hash over the content and `rest`, hash algorithm.
    init(
        opening encoded: [UInt8], _ signature: SignedApplicationDataError.Signature, key: RSAPublicKey, rest: [UInt8]
    ) throws(SignedApplicationDataError) {
        do throws(Failure) { self = try SignedRecoverableData(opening: encoded, with: key) } catch {
            throw SignedApplicationDataError(signature, opening: error)
        }
        // The shortest modulus has 64 bytes: the fields of fixed length always fit into the content.
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
