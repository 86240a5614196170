public import Amounts
public import CardSecrets

/// One EMV application of a card, as a profile describes it.
public struct ApplicationProfile: Sendable {
    /// Tags 4F and 84, 5...16 bytes.
    public var aid: [UInt8]
    /// Tag 50, 1...16 characters.
    public var label: String
    /// Tag 9F12, in ISO 8859-1; nil when there is none.
    public var preferredName: String?
    /// Tag 87, 1 highest ... 15; nil when there is none.
    public var priority: UInt8?
    /// Tag 87 b8: the cardholder is to confirm the choice.
    public var needsConfirmation: Bool
    /// Tag 5F2D, for example `ende`; nil when there is none.
    public var languages: String?

    /// The digits of tag 5A, one a byte: a test number.
    public var pan: SealedBytes
    /// Tag 5F34; nil when there is none.
    public var panSequenceNumber: UInt8?
    /// Tag 5F24
    public var expiry: CardDate
    /// Tag 5F25; nil when there is none.
    public var effective: CardDate?
    /// Tag 9F08, two bytes.
    public var version: [UInt8]
    /// Tag 5F30, three digits.
    public var serviceCode: UInt16
    /// Tag 5F20, 2...26 characters; nil when there is none.
    public var cardholderName: String?
    /// Tag 5F28, ISO 3166 numeric.
    public var issuerCountry: UInt16
    /// Tag 9F42
    public var currency: Currency
    /// Tag 9F07; nil when there is none.
    public var usage: ApplicationUsage?

    /// Tag 8E; nil when the card does not support cardholder verification.
    public var cardholderVerification: CardholderVerificationList?
    /// AIP: the terminal is to do its risk management.
    public var terminalRiskManagement: Bool
    /// AIP: the card takes EXTERNAL AUTHENTICATE.
    public var externalAuthenticate: Bool
    /// Tags 9F0E, 9F0F and 9F0D.
    public var actionCodes: ActionCodes

    /// Tag 9F38; nil when there is none.
    public var pdol: CardDataObjectList?
    /// Tag 8C
    public var cdol1: CardDataObjectList
    /// Tag 8D
    public var cdol2: CardDataObjectList
    /// Files and records.
    public var records: [RecordLayout]
    /// Tag 94, right or wrong, instead of the one that the files make; nil for that.
    public var fileLocator: [UInt8]?
    /// Whether GPO and GENERATE AC answer with template 77 rather than 80.
    public var answersInFormatTwo: Bool

    public var cryptogram: CryptogramVersion
    public var risk: CardRiskRules
    /// The PIN that the card verifies; nil when it verifies none.
    public var pin: OfflinePINProfile?
    /// How terminals authenticate the card; nil when they cannot.
    public var offlineAuthentication: OfflineAuthenticationProfile?
    /// Whether the card takes issuer script commands.
    public var takesScripts: Bool
    /// How many transactions its log (tag 9F4D) holds; 0 when it has none.
    public var logRecords: UInt8

    /// The application transaction counter before the first transaction.
    public var atc: UInt16
    /// Tag 9F13: the counter at the last transaction that went online; 0 for a new card.
    public var lastOnlineATC: UInt16
    /// The application was blocked by its issuer.
    public var isBlocked: Bool

    /// Issuer action codes, five bytes each.
    public struct ActionCodes: Hashable, Sendable {
        public var denial: [UInt8]
        public var online: [UInt8]
        public var `default`: [UInt8]
    }

    /// The PAN under an owner of its own; nil when ``pan`` has been given digits that are none.
    public func primaryAccountNumber() -> PrimaryAccountNumber? {
        var digits = pan.copy()
        defer { digits.wipe() }
        return TestPAN.number(digits)
    }

    /// AIP, two bytes (tag 82).
    public var interchangeProfile: [UInt8] {
        var flags: UInt8 = 0
        let methods = offlineAuthentication?.methods ?? []
        if methods.contains(.sda) { flags |= 0x40 }
        if methods.contains(.dda) { flags |= 0x20 }
        if methods.contains(.cda) { flags |= 0x01 }
        if cardholderVerification != nil { flags |= 0x10 }
        if terminalRiskManagement { flags |= 0x08 }
        if externalAuthenticate { flags |= 0x04 }
        return [flags, 0]
    }
}
