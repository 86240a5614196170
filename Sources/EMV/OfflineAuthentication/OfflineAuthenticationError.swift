public import Cryptography
public import SmartCard

/// Why a card was not found genuine. Carries tags, lengths and the names of keys, never card data.
public enum OfflineAuthenticationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A data object that the method needs is missing on the card.
    case missingData(BERTag)
    /// The terminal has no such key of the payment system: RID, 5 bytes, and index.
    case authorityKeyMissing(rid: [UInt8], index: UInt8)
    /// A certificate was not accepted.
    case certificate(CertificateError)
    /// The data that signatures cover could not be put together.
    case staticData(StaticDataDefect)
    /// The dynamic data object list (DDOL) cannot be read or filled.
    case dataObjectList(DataObjectListError)
    /// The DDOL does not ask for the unpredictable number (9F37), so that a signature could be an old one.
    case noUnpredictableNumber
    /// The card did not sign its cryptogram, though it was asked to.
    case unsignedCryptogram
    /// A signature of issuer or card was not accepted.
    case signature(SignedApplicationDataError)
    /// The cryptogram information in the signature is not the one beside it (9F27).
    case cryptogramInformation
    /// The signature is about other transaction data than what was sent and answered.
    case transactionData
    /// A cryptographic operation failed in this program.
    case cryptography(CryptographyError)

    /// Whether the TVR also has to say that data is missing on the card (EMV Book 3 §7.5): a data object, or the
    /// remainder of a key that does not fit into its certificate.
    var isMissingData: Bool {
        switch self {
        case .missingData, .certificate(.remainderLength(_, expected: _, actual: 0)): true
        default: false
        }
    }

    public var description: String {
        switch self {
        case .missingData(let tag): "data object \(tag) is missing on the card"
        case .authorityKeyMissing(let rid, let index):
            "CA public key \(rid.hexadecimal) \([index].hexadecimal) is not in the terminal: "
                + "load the payment system's keys"
        case .certificate(let error): error.description
        case .staticData(let defect): defect.description
        case .dataObjectList(let error): "dynamic data object list: \(error)"
        case .noUnpredictableNumber: "the dynamic data object list does not ask for the unpredictable number"
        case .unsignedCryptogram: "the card did not sign its cryptogram"
        case .signature(let error): error.description
        case .cryptogramInformation: "the signed cryptogram information is not the one in the answer"
        case .transactionData: "the card signed other transaction data"
        case .cryptography(let error): error.description
        }
    }
}

/// Why there is no static data to be authenticated (EMV Book 3 §10.3).
public enum StaticDataDefect: String, Hashable, Sendable, CustomStringConvertible {
    /// A record that belongs to it is no template 70.
    case record = "a record to be authenticated is no template 70"
    /// The tag list (9F4A) asks for anything but the application interchange profile.
    case tagList = "the static data authentication tag list names other data than the AIP"

    public var description: String { rawValue }
}
