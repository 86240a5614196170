public import Cryptography
public import SmartCard
import Text

/// The result of offline data authentication.
public struct OfflineAuthenticationSummary: Hashable, Sendable {
    /// Whether the card is genuine.
    public enum Result: String, Hashable, Sendable {
        /// No common method; or CDA was selected and the card declined without a signature.
        case notPerformed
        case passed, failed
    }

    /// The selected method.
    public let method: OfflineAuthenticationMethod
    public let result: Result
    /// Why it failed; nil if it did not fail.
    public let reason: OfflineAuthenticationError?

    private init(_ method: OfflineAuthenticationMethod, _ result: Result, _ reason: OfflineAuthenticationError? = nil) {
        (self.method, self.result, self.reason) = (method, result, reason)
    }

    static func notPerformed(_ method: OfflineAuthenticationMethod) -> Self { Self(method, .notPerformed) }

    static func passed(_ method: OfflineAuthenticationMethod) -> Self { Self(method, .passed) }

    static func failed(_ method: OfflineAuthenticationMethod, _ reason: OfflineAuthenticationError) -> Self {
        Self(method, .failed, reason)
    }
}

/// The methods of offline data authentication (EMV Book 3 §10.3).
public enum OfflineAuthenticationMethod: String, Hashable, Sendable {
    /// Card and terminal have no common method.
    case none
    /// Static data authentication: the issuer signed the card's data (EMV Book 2 §5).
    case sda
    /// Dynamic data authentication: the card signs the terminal's unpredictable number (EMV Book 2 §6.5).
    case dda
    /// Combined data authentication: the card signs its cryptogram (EMV Book 2 §6.6).
    case cda
    /// Extended data authentication: the card signs its cryptogram with a key on an elliptic curve (EMV Book 2 §12).
    case xda

    /// Selects the strongest method that card and terminal support: XDA before CDA, DDA, and SDA.
    init(card: ApplicationInterchangeProfile, terminal: TerminalCapabilities) {
        self =
            if card.contains(.xda), terminal.contains(.xda) {
                .xda
            } else if card.contains(.cda), terminal.contains(.cda) {
                .cda
            } else if card.contains(.dda), terminal.contains(.dda) {
                .dda
            } else if card.contains(.sda), terminal.contains(.sda) {
                .sda
            } else {
                .none
            }
    }

    /// Returns the TVR bit for a failure of the method. XDA has one for each of its steps (EMV Book 4 §6.3.2.2).
    func failure(_ reason: OfflineAuthenticationError) -> TerminalVerificationResults {
        switch self {
        case .none: .offlineDataAuthenticationNotPerformed
        case .sda: .sdaFailed
        case .dda: .ddaFailed
        case .cda: .cdaFailed
        case .xda:
            switch reason {
            case .authorityKeyMissing, .missingData(EMVTag.certificationAuthorityIndex):
                .certificationAuthorityECCKeyMissing
            case .unsignedCryptogram, .extendedSignature: .xdaFailed
            default: .eccKeyRecoveryFailed
            }
        }
    }
}

/// Why offline data authentication failed. Contains tags, lengths, and key identifiers, never card data.
public enum OfflineAuthenticationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A data object required by the method is missing on the card.
    case missingData(BERTag)
    /// The terminal does not have this CA public key: RID, 5 bytes, and index.
    case authorityKeyMissing(rid: [UInt8], index: UInt8)
    /// A certificate was rejected.
    case certificate(CertificateError)
    /// A certificate on an elliptic curve was rejected.
    case ellipticCertificate(ECCCertificateError)
    /// The static data to be authenticated is not available.
    case staticData(StaticDataDefect)
    /// The dynamic data object list (DDOL) is not valid.
    case dataObjectList(DataObjectListError)
    /// The DDOL does not contain the unpredictable number (9F37), so a signature could be a replay.
    case noUnpredictableNumber
    /// The card did not sign its cryptogram although CDA or XDA was requested.
    case unsignedCryptogram
    /// A signature of issuer or card was rejected.
    case signature(SignedApplicationDataError)
    /// The card's signature with a key on an elliptic curve was rejected.
    case extendedSignature(ExtendedSignatureDefect)
    /// The cryptogram information in the signature differs from tag 9F27 of the response.
    case cryptogramInformation
    /// The signature covers other transaction data than was exchanged.
    case transactionData
    /// A cryptographic operation of the terminal failed.
    case cryptography(CryptographyError)

    /// Whether the TVR bit "ICC data missing" is set too (EMV Book 3 §7.5): for a missing data object or key remainder.
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
        case .ellipticCertificate(let error): error.description
        case .staticData(let defect): defect.description
        case .dataObjectList(let error): "dynamic data object list: \(error)"
        case .noUnpredictableNumber: "the dynamic data object list does not ask for the unpredictable number"
        case .unsignedCryptogram: "the card did not sign its cryptogram"
        case .signature(let error): error.description
        case .extendedSignature(let defect): "signed dynamic application data (9F4B): \(defect)"
        case .cryptogramInformation: "the signed cryptogram information is not the one in the answer"
        case .transactionData: "the card signed other transaction data"
        case .cryptography(let error): error.description
        }
    }
}

/// Why the static data to be authenticated is not available (EMV Book 3 §10.3).
public enum StaticDataDefect: String, Hashable, Sendable, CustomStringConvertible {
    /// A record to be authenticated is not a template 70.
    case record = "a record to be authenticated is not a template 70"
    /// The tag list (9F4A) contains other tags than that of the AIP (82).
    case tagList = "the static data authentication tag list contains other tags than that of the AIP"

    public var description: String { rawValue }
}
