/// What is known and may be kept of a card payment: for the journal, the receipt and the JSON output.
///
/// There is nothing here that could be used to pay again: of the PAN only the last four digits.
public struct CardPresentTransactionDetails: Hashable, Sendable, Codable {
    /// How the card was read.
    public enum EntryMode: String, Hashable, Sendable, Codable, CaseIterable {
        /// DE 22 `05x`
        case chip
        /// The magnetic stripe of a card without a chip: DE 22 `90x`.
        case swipe
        /// The magnetic stripe of a card whose chip could not be read: DE 22 `80x`.
        case fallback

        /// The first two digits of DE 22 (ISO 8583:1987, as the card schemes use it).
        public var code: String {
            switch self {
            case .chip: "05"
            case .swipe: "90"
            case .fallback: "80"
            }
        }
    }

    /// How the cardholder was verified.
    public enum CardholderVerification: String, Hashable, Sendable, Codable {
        case none
        case signature
        /// The PIN went to the card in the clear.
        case offlinePIN = "offline_pin"
        case encipheredOfflinePIN = "offline_pin_enciphered"
        case offlinePINAndSignature = "offline_pin_and_signature"
        case encipheredOfflinePINAndSignature = "offline_pin_enciphered_and_signature"
        case onlinePIN = "online_pin"
        case failed

        /// In plain words, for people.
        public var words: String {
            switch self {
            case .none: "none"
            case .signature: "signature"
            case .offlinePIN: "offline PIN, plaintext"
            case .encipheredOfflinePIN: "offline PIN, enciphered"
            case .offlinePINAndSignature: "offline PIN, plaintext, and signature"
            case .encipheredOfflinePINAndSignature: "offline PIN, enciphered, and signature"
            case .onlinePIN: "online PIN"
            case .failed: "failed"
            }
        }

        /// The same method however the PIN travels: enciphered and plaintext offline PIN are one.
        public var family: CardholderVerification {
            switch self {
            case .encipheredOfflinePIN: .offlinePIN
            case .encipheredOfflinePINAndSignature: .offlinePINAndSignature
            default: self
            }
        }

        /// Whether the receipt needs the cardholder's signature.
        public var needsSignature: Bool { family == .signature || family == .offlinePINAndSignature }
    }

    /// How the card itself was authenticated by the terminal (EMV Book 2 §5 and §6).
    public enum OfflineDataAuthentication: String, Hashable, Sendable, Codable {
        case none
        case sda
        case dda
        case cda
    }

    /// The payment scheme, for example `visa`.
    public var brand: String
    /// Four digits; nil when the card was not read that far.
    public var lastFour: String?
    public var entryMode: EntryMode
    public var cardholderVerification: CardholderVerification
    /// Tag 84 or 4F, upper-case hexadecimal digits.
    public var aid: String?
    /// Preferred name (9F12), or label (50).
    public var applicationName: String?
    /// Tag 5F57; nil when nobody chose one.
    public var accountType: AccountType?
    /// Tag 95, ten hexadecimal digits.
    public var terminalVerificationResults: String?
    /// Tag 9B, four hexadecimal digits.
    public var transactionStatusInformation: String?
    /// Tag 9F26 of the last GENERATE AC, sixteen hexadecimal digits.
    public var applicationCryptogram: String?
    /// `TC`, `ARQC` or `AAC`.
    public var cryptogramType: String?
    /// Tag 9F10, up to 64 hexadecimal digits.
    public var issuerApplicationData: String?
    /// Tag 9F36
    public var applicationTransactionCounter: UInt16?
    /// Tag 8A, two characters.
    public var authorizationResponseCode: String?
    /// DE 38
    public var authorizationCode: String?
    /// DE 37
    public var hostReference: String?
    public var offlineDataAuthentication: OfflineDataAuthentication
    /// `notPerformed`, `passed` or `failed`.
    public var offlineDataAuthenticationResult: String
    /// Why it failed, in words; nil when it did not.
    public var offlineDataAuthenticationReason: String?

    public init(
        brand: String, lastFour: String?, entryMode: EntryMode, cardholderVerification: CardholderVerification,
        aid: String? = nil, applicationName: String? = nil, accountType: AccountType? = nil,
        terminalVerificationResults: String? = nil, transactionStatusInformation: String? = nil,
        applicationCryptogram: String? = nil,
        cryptogramType: String? = nil, issuerApplicationData: String? = nil,
        applicationTransactionCounter: UInt16? = nil,
        authorizationResponseCode: String? = nil, authorizationCode: String? = nil, hostReference: String? = nil,
        offlineDataAuthentication: OfflineDataAuthentication = .none,
        offlineDataAuthenticationResult: String = "notPerformed", offlineDataAuthenticationReason: String? = nil
    ) {
        (self.brand, self.lastFour, self.entryMode) = (brand, lastFour, entryMode)
        (self.cardholderVerification, self.aid, self.applicationName) = (cardholderVerification, aid, applicationName)
        (self.accountType, self.issuerApplicationData) = (accountType, issuerApplicationData)
        self.terminalVerificationResults = terminalVerificationResults
        self.transactionStatusInformation = transactionStatusInformation
        (self.applicationCryptogram, self.cryptogramType) = (applicationCryptogram, cryptogramType)
        self.applicationTransactionCounter = applicationTransactionCounter
        self.authorizationResponseCode = authorizationResponseCode
        (self.authorizationCode, self.hostReference) = (authorizationCode, hostReference)
        self.offlineDataAuthentication = offlineDataAuthentication
        self.offlineDataAuthenticationResult = offlineDataAuthenticationResult
        self.offlineDataAuthenticationReason = offlineDataAuthenticationReason
    }
}
