/// The storable data of a card payment: for the journal, the receipt, and the JSON output.
///
/// It contains only the last four digits of the PAN, and nothing else that could be used for another payment.
public struct CardDetails: Hashable, Sendable, Codable {
    /// How the card was read.
    public enum EntryMode: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
        /// DE 22 `05x`
        case chip
        /// The chip, read without contacts: DE 22 `07x`.
        case contactless
        /// The magnetic stripe of a card without a chip: DE 22 `90x`.
        case swipe
        /// The magnetic stripe of a card whose chip could not be read: DE 22 `80x`.
        case fallback
        /// A value that this version does not know, kept as stored.
        case other(String)

        public static let allCases: [EntryMode] = [.chip, .contactless, .swipe, .fallback]

        /// Takes the stored word; an unknown one is kept as `other`.
        public init(rawValue: String) { self = Self.allCases.first { $0.rawValue == rawValue } ?? .other(rawValue) }

        public var rawValue: String {
            switch self {
            case .chip: "chip"
            case .contactless: "contactless"
            case .swipe: "swipe"
            case .fallback: "fallback"
            case .other(let word): word
            }
        }

        /// Whether the card's chip was read, with contacts or without.
        public var isChip: Bool { self == .chip || self == .contactless }

        /// The first two digits of DE 22 (ISO 8583:1987, as the card schemes use it); `00` is unspecified.
        public var code: String {
            switch self {
            case .chip: "05"
            case .contactless: "07"
            case .swipe: "90"
            case .fallback: "80"
            case .other: "00"
            }
        }
    }

    /// How the cardholder was verified.
    public enum CardholderVerification: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
        case none
        case signature
        /// The PIN went to the card in plaintext.
        case offlinePIN
        case encipheredOfflinePIN
        case offlinePINAndSignature
        case encipheredOfflinePINAndSignature
        case onlinePIN
        /// The cardholder's own device, such as a phone.
        case device
        case failed
        /// A value that this version does not know, kept as stored.
        case other(String)

        public static let allCases: [CardholderVerification] = [
            .none, .signature, .offlinePIN, .encipheredOfflinePIN, .offlinePINAndSignature,
            .encipheredOfflinePINAndSignature, .onlinePIN, .device, .failed,
        ]

        /// Takes the stored word; an unknown one is kept as `other`.
        public init(rawValue: String) { self = Self.allCases.first { $0.rawValue == rawValue } ?? .other(rawValue) }

        public var rawValue: String {
            switch self {
            case .none: "none"
            case .signature: "signature"
            case .offlinePIN: "offline_pin"
            case .encipheredOfflinePIN: "offline_pin_enciphered"
            case .offlinePINAndSignature: "offline_pin_and_signature"
            case .encipheredOfflinePINAndSignature: "offline_pin_enciphered_and_signature"
            case .onlinePIN: "online_pin"
            case .device: "device"
            case .failed: "failed"
            case .other(let word): word
            }
        }

        /// A human-readable name of the method.
        public var words: String {
            switch self {
            case .none: "none"
            case .signature: "signature"
            case .offlinePIN: "offline PIN, plaintext"
            case .encipheredOfflinePIN: "offline PIN, enciphered"
            case .offlinePINAndSignature: "offline PIN, plaintext, and signature"
            case .encipheredOfflinePINAndSignature: "offline PIN, enciphered, and signature"
            case .onlinePIN: "online PIN"
            case .device: "the cardholder's device"
            case .failed: "failed"
            case .other(let word): word
            }
        }

        /// The method without the transport of the PIN: enciphered and plaintext offline PIN have the same family.
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

    /// How the terminal authenticated the card (EMV Book 2 §5, §6, and §12; Book C-8).
    public enum OfflineDataAuthentication: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
        case none
        case sda
        case dda
        case cda
        case xda
        /// Local authentication of contactless kernel 8: the card's keys of the secure channel are certified.
        case local
        /// A value that this version does not know, kept as stored.
        case other(String)

        public static let allCases: [OfflineDataAuthentication] = [.none, .sda, .dda, .cda, .xda, .local]

        /// Takes the stored word; an unknown one is kept as `other`.
        public init(rawValue: String) { self = Self.allCases.first { $0.rawValue == rawValue } ?? .other(rawValue) }

        public var rawValue: String {
            switch self {
            case .none: "none"
            case .sda: "sda"
            case .dda: "dda"
            case .cda: "cda"
            case .xda: "xda"
            case .local: "local"
            case .other(let word): word
            }
        }
    }

    /// The payment scheme, for example `visa`.
    public var brand: String
    /// Four digits; nil when the PAN was not read.
    public var lastFour: String?
    public var entryMode: EntryMode
    public var cardholderVerification: CardholderVerification
    /// The PIN tries left after a wrong PIN; nil when no PIN was wrong, or the card did not report them.
    public var pinTriesLeft: UInt8?
    /// Tag 84 or 4F, uppercase hexadecimal digits.
    public var aid: String?
    /// The preferred name (tag 9F12), otherwise the label (tag 50).
    public var applicationName: String?
    /// Tag 5F57; nil for the default account.
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
    /// Why the authentication failed, human-readable; nil when it did not fail.
    public var offlineDataAuthenticationReason: String?
    /// The card's preferred languages (5F2D), by ISO 639-1 code. They choose the language of the receipt, which is
    /// stored with its content, and are not stored themselves.
    public var languages: [String]?

    /// Takes what may be stored: at most the last four digits of the card number, and values in hexadecimal digits. Nil
    /// means not known.
    public init(
        brand: String, lastFour: String?, entryMode: EntryMode, cardholderVerification: CardholderVerification,
        pinTriesLeft: UInt8? = nil, aid: String? = nil, applicationName: String? = nil, accountType: AccountType? = nil,
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
        self.pinTriesLeft = pinTriesLeft
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

    /// Returns these details as they are stored.
    public var stored: CardDetails {
        var stored = self
        stored.languages = nil
        return stored
    }

    /// Returns these details, with every value that `newer` has replacing the value here.
    public func merging(_ newer: CardDetails) -> CardDetails {
        func word(_ new: String, _ old: String) -> String { new.isEmpty ? old : new }
        return CardDetails(
            brand: word(newer.brand, brand), lastFour: newer.lastFour ?? lastFour,
            entryMode: EntryMode(rawValue: word(newer.entryMode.rawValue, entryMode.rawValue)),
            cardholderVerification: CardholderVerification(
                rawValue: word(newer.cardholderVerification.rawValue, cardholderVerification.rawValue)),
            pinTriesLeft: newer.pinTriesLeft ?? pinTriesLeft, aid: newer.aid ?? aid,
            applicationName: newer.applicationName ?? applicationName,
            accountType: newer.accountType ?? accountType,
            terminalVerificationResults: newer.terminalVerificationResults ?? terminalVerificationResults,
            transactionStatusInformation: newer.transactionStatusInformation ?? transactionStatusInformation,
            applicationCryptogram: newer.applicationCryptogram ?? applicationCryptogram,
            cryptogramType: newer.cryptogramType ?? cryptogramType,
            issuerApplicationData: newer.issuerApplicationData ?? issuerApplicationData,
            applicationTransactionCounter: newer.applicationTransactionCounter ?? applicationTransactionCounter,
            authorizationResponseCode: newer.authorizationResponseCode ?? authorizationResponseCode,
            authorizationCode: newer.authorizationCode ?? authorizationCode,
            hostReference: newer.hostReference ?? hostReference,
            offlineDataAuthentication: OfflineDataAuthentication(
                rawValue: word(newer.offlineDataAuthentication.rawValue, offlineDataAuthentication.rawValue)),
            offlineDataAuthenticationResult: word(
                newer.offlineDataAuthenticationResult, offlineDataAuthenticationResult),
            offlineDataAuthenticationReason: newer.offlineDataAuthenticationReason
                ?? offlineDataAuthenticationReason)
    }
}

extension CardDetails {
    /// The answers of hosts to a tap that ask for the card's chip: strong authentication is due (65), or the PIN (1A).
    package static let chipCodes: Set<String> = ["65", "1A"]

    /// Whether the host declined a tapped card because it wants the card to be inserted.
    package var asksForChip: Bool {
        entryMode == .contactless && authorizationResponseCode.map(Self.chipCodes.contains) == true
    }

    /// Takes the issuer's word about a PIN that was sent to it.
    package mutating func judgePIN(_ response: AuthorizationResponse) {
        guard cardholderVerification == .onlinePIN, !response.isApproved else { return }
        switch DeclineReason(responseCode: response.responseCode) {
        case .incorrectPIN, .tooManyPINTries: cardholderVerification = .failed
        default: break
        }
    }
}

/// The type of the card account that pays: tag 5F57 (EMV Book 3, annex G).
public enum AccountType: String, Hashable, Sendable, Codable, CaseIterable {
    case savings
    /// Checking or debit.
    case checking = "cheque"
    case credit

    /// The value of the tag.
    public var code: UInt8 {
        switch self {
        case .savings: 0x10
        case .checking: 0x20
        case .credit: 0x30
        }
    }

    /// Creates the type from the value of the tag; nil for the default account and for reserved values.
    package init?(code: UInt8) {
        guard let type = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = type
    }

    /// Creates the type that an application implies: eftpos Australia has one application for each account. Nil for
    /// others.
    package init?(application aid: [UInt8]) {
        switch aid {
        case [0xA0, 0, 0, 0x03, 0x84, 0x10]: self = .savings
        case [0xA0, 0, 0, 0x03, 0x84, 0x20]: self = .checking
        default: return nil
        }
    }
}

/// A reader's request to a cardholder.
public enum CardPrompt: Hashable, Sendable {
    /// Insert, swipe, or tap the card.
    case present(canInsert: Bool, canSwipe: Bool, canTap: Bool = false)
    /// Take the card out of the reader.
    case remove
}
