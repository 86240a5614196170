public import CardSecrets
public import Cryptography
public import SmartCard

/// The application cryptogram (tag 9F26: ARQC, TC, or AAC), the card's MAC over the transaction.
public enum ApplicationCryptogram {
    /// The input of a cryptogram (EMV Book 2 §8.1.1): terminal data, then card data.
    public struct Input: Hashable, Sendable {
        /// The values of 9F02, 9F03, 9F1A, 95, 5F2A, 9A, 9C and 9F37 in this order, 29 bytes.
        public let terminalData: [UInt8]
        /// Tag 9F37, 4 bytes.
        public let unpredictableNumber: [UInt8]
        /// Tag 82, 2 bytes.
        public let applicationInterchangeProfile: [UInt8]
        /// Tag 9F36.
        public let atc: UInt16
        /// Tag 9F10.
        public let issuerApplicationData: IssuerApplicationData

        /// Collects the data objects by tag. A card supplies its CDOL data and its own; an issuer supplies the ICC
        /// data of the message.
        ///
        /// - Throws: ``CryptogramError/missing(_:)``, ``CryptogramError/wrongLength(_:_:)``,
        ///   ``CryptogramError/unknownIssuerApplicationData``
        public init(_ value: (BERTag) -> [UInt8]?) throws(CryptogramError) {
            func take(_ tag: BERTag, count: Int) throws(CryptogramError) -> [UInt8] {
                guard let bytes = value(tag) else { throw .missing(tag) }
                guard bytes.count == count else { throw .wrongLength(tag, bytes.count) }
                return bytes
            }
            var terminalData: [UInt8] = []
            for (tag, count) in Self.terminalDataObjects { terminalData += try take(tag, count: count) }
            self.terminalData = terminalData
            unpredictableNumber = Array(terminalData.suffix(4))
            applicationInterchangeProfile = try take(0x82, count: 2)
            atc = try take(0x9F36, count: 2).reduce(0) { $0 << 8 | UInt16($1) }
            guard let application = value(0x9F10) else { throw .missing(0x9F10) }
            issuerApplicationData = try IssuerApplicationData(decoding: application)
        }

        /// The tags and lengths of the terminal data, in the order of the cryptogram input.
        public static let terminalDataObjects: [(tag: BERTag, count: Int)] = [
            (0x9F02, 6), (0x9F03, 6), (0x9F1A, 2), (0x95, 5), (0x5F2A, 2), (0x9A, 3), (0x9C, 1), (0x9F37, 4),
        ]
    }

    /// Computes the cryptogram, 8 bytes, by the version in the issuer application data. `masterKey` is the ICC master
    /// key for application cryptograms.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func compute(
        _ input: Input, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        let version = input.issuerApplicationData.version
        let key = try version.sessionKey(
            masterKey: masterKey, atc: input.atc, unpredictableNumber: input.unpredictableNumber)
        let tail =
            switch version {
            case .cvn10, .mChip, .mChipCommonSessionKey, .mChipEMV2000:
                input.issuerApplicationData.cardVerificationResults
            case .cvn18, .aes: input.issuerApplicationData.encoded
            }
        return try version.mac(
            input.terminalData + input.applicationInterchangeProfile + input.atc.bigEndianBytes + tail, key: key,
            padding: version == .cvn10 ? .zeros : .markerAndZeros)
    }
}

/// The authorization response cryptogram (ARPC), the MAC by which the card authenticates its issuer (EMV Book 2
/// §8.2).
public enum AuthorizationResponseCryptogram {
    /// Computes the ARPC by method 1: the ARQC XOR the response code, under triple DES, 8 bytes.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func methodOne(
        arqc: [UInt8], responseCode: [UInt8], key: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        let padded = responseCode + [UInt8](repeating: 0, count: max(0, arqc.count - responseCode.count))
        return try cryptographically { () throws(CryptographyError) in
            try TripleDES.encrypt(zip(arqc, padded).map { $0 ^ $1 }, key: key)
        }
    }

    /// Computes the ARPC by method 2: the leftmost 4 bytes of a MAC over ARQC, card status update, and proprietary
    /// data.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func methodTwo(
        arqc: [UInt8], cardStatusUpdate: [UInt8], proprietaryData: [UInt8], key: borrowing SensitiveBytes,
        version: CryptogramVersion = .cvn18
    ) throws(CryptogramError) -> [UInt8] {
        Array(
            try version.mac(arqc + cardStatusUpdate + proprietaryData, key: key, padding: .markerAndZeros).prefix(4))
    }
}

/// An error computing or checking a cryptogram. Contains no card data and no key.
public enum CryptogramError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A data object of the cryptogram input is missing.
    case missing(BERTag)
    /// A data object of the cryptogram input has this wrong length in bytes.
    case wrongLength(BERTag, Int)
    /// Issuer application data (tag 9F10) in an unknown layout.
    case unknownIssuerApplicationData
    /// Issuer authentication data (tag 91) of a length that the cryptogram version does not use.
    case malformedIssuerAuthenticationData(Int)
    /// Enciphered data of an issuer script command that cannot be deciphered, or is too long to encipher.
    case malformedScriptData
    /// A PIN that does not have 4 to 12 digits, or a current PIN where the scheme takes none.
    case unusablePIN
    /// A key has the wrong length, or libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .missing(let tag): "no data object \(tag) to make the cryptogram over"
        case .wrongLength(let tag, let count): "data object \(tag) has \(count) bytes, which is wrong"
        case .unknownIssuerApplicationData: "issuer application data in an unknown layout"
        case .malformedIssuerAuthenticationData(let count): "issuer authentication data of \(count) bytes"
        case .malformedScriptData: "the enciphered data of an issuer script command cannot be opened"
        case .unusablePIN: "a PIN that the card cannot take"
        case .cryptography(let error): error.description
        }
    }
}

/// Runs a cryptographic operation and maps its error to a ``CryptogramError``.
func cryptographically<Result: ~Copyable>(
    _ operation: () throws(CryptographyError) -> Result
) throws(CryptogramError) -> Result {
    do throws(CryptographyError) { return try operation() } catch { throw .cryptography(error) }
}
