public import CardSecrets
public import EMV
public import Money

/// One EMV application of a card profile.
public struct ApplicationProfile: Sendable {
    /// Tags 4F and 84, 5...16 bytes.
    public var aid: [UInt8]
    /// Tag 50, 1...16 characters.
    public var label: String
    /// Tag 9F12, in ISO 8859-1; nil if absent.
    public var preferredName: String?
    /// Tag 87, 1 (highest) to 15; nil if absent.
    public var priority: UInt8?
    /// Tag 87 b8: the cardholder must confirm the selection.
    public var needsConfirmation: Bool
    /// Tag 5F2D, for example `ende`; nil if absent.
    public var languages: String?

    /// Tag 5A: the digits of a test PAN, one per byte.
    public var pan: SealedBytes
    /// Tag 5F34; nil if absent.
    public var panSequenceNumber: UInt8?
    /// Tag 5F24.
    public var expiry: CardDate
    /// Tag 5F25; nil if absent.
    public var effective: CardDate?
    /// Tag 9F08, two bytes.
    public var version: [UInt8]
    /// Tag 5F30, three digits.
    public var serviceCode: UInt16
    /// Tag 5F20, 2...26 characters; nil if absent.
    public var cardholderName: String?
    /// Tag 5F28, an ISO 3166 numeric code.
    public var issuerCountry: UInt16
    /// Tag 9F42.
    public var currency: Currency
    /// Tag 9F07; nil if absent.
    public var usage: ApplicationUsage?

    /// Tag 8E; nil if the card does not support cardholder verification.
    public var cardholderVerification: CardholderVerificationList?
    /// AIP: the terminal must perform terminal risk management.
    public var terminalRiskManagement: Bool
    /// AIP: the card supports EXTERNAL AUTHENTICATE.
    public var externalAuthenticate: Bool
    /// Tags 9F0E, 9F0F, and 9F0D.
    public var actionCodes: ActionCodes

    /// Tag 9F38; nil if absent.
    public var pdol: CardDataObjectList?
    /// Tag 8C.
    public var cdol1: CardDataObjectList
    /// Tag 8D.
    public var cdol2: CardDataObjectList
    /// The files and their records.
    public var records: [RecordLayout]
    /// Tag 94 instead of the one made from ``records``, valid or not; nil for the latter.
    public var fileLocator: [UInt8]?
    /// Whether GET PROCESSING OPTIONS and GENERATE AC return template 77 instead of 80.
    public var answersInFormatTwo: Bool

    public var cryptogram: CryptogramVersion
    public var risk: CardRiskRules
    /// The offline PIN; nil if the card verifies none.
    public var pin: OfflinePINProfile?
    /// Offline data authentication; nil if the card does not support it.
    public var offlineAuthentication: OfflineAuthenticationProfile?
    /// Whether the card accepts issuer script commands.
    public var takesScripts: Bool
    /// The number of transaction log records (tag 9F4D); 0 without a log.
    public var logRecords: UInt8

    /// The ATC before the first transaction.
    public var atc: UInt16
    /// Tag 9F13: the ATC of the last online transaction; 0 for a new card.
    public var lastOnlineATC: UInt16
    /// Whether the issuer blocked the application.
    public var isBlocked: Bool

    /// The issuer action codes, five bytes each.
    public struct ActionCodes: Hashable, Sendable {
        public var denial: [UInt8]
        public var online: [UInt8]
        public var `default`: [UInt8]
    }

    /// Returns the PAN as an owned value; nil if ``pan`` was set to invalid digits.
    public func primaryAccountNumber() -> PrimaryAccountNumber? {
        var digits = pan.copy()
        defer { digits.wipe() }
        return TestPAN.number(digits)
    }

    /// The AIP, two bytes (tag 82).
    public var interchangeProfile: [UInt8] {
        var flags: UInt8 = 0
        let methods = offlineAuthentication?.methods ?? []
        if methods.contains(.sda) { flags |= 0x40 }
        if methods.contains(.dda) { flags |= 0x20 }
        if methods.contains(.cda) { flags |= 0x01 }
        if methods.contains(.xda) { flags |= 0x80 }
        if cardholderVerification != nil { flags |= 0x10 }
        if terminalRiskManagement { flags |= 0x08 }
        if externalAuthenticate { flags |= 0x04 }
        return [flags, 0]
    }
}

extension ApplicationProfile {
    /// The lengths of the card's keys and of those that certify them.
    var keySizes: CardKeySizes { offlineAuthentication?.keySizes ?? .standard }

    /// Whether the card has a key for dynamic signatures or for PIN encipherment with it.
    var hasSigningKey: Bool { offlineAuthentication?.signsDynamically == true || pin?.encipherment == .iccKey }

    /// Whether the card has RSA certificates, so that terminals need the certification authority's key.
    var needsCertificates: Bool {
        !signsOnCurve && (offlineAuthentication != nil || pin?.encipherment != nil)
    }

    /// Whether the card has certificates on an elliptic curve, for XDA.
    var signsOnCurve: Bool { offlineAuthentication?.methods.contains(.xda) == true }

    /// The registered application provider identifier (RID), 5 bytes.
    var rid: [UInt8] { Array(aid.prefix(5)) }
}

extension CardProfile {
    /// Returns the keys of the test certification authority that a terminal needs for this card.
    ///
    /// - Throws: ``TestKeysError``, `CAPublicKeyError`
    public func certificationAuthorityKeys(_ keys: TestKeys) throws -> [CAPublicKey] {
        var found: [CAPublicKey] = []
        for application in applications where application.needsCertificates {
            let key = try keys.certificationAuthorityPublicKey(rid: application.rid, sizes: application.keySizes)
            if !found.contains(key) { found.append(key) }
        }
        return found
    }

    /// Returns the keys of the test certification authority on elliptic curves that a terminal needs for this card's
    /// chip (XDA).
    ///
    /// - Throws: ``TestKeysError``, `ECCAuthorityKeyError`
    public func ellipticAuthorityKeys() throws -> [ECCAuthorityKey] {
        var found: [ECCAuthorityKey] = []
        for application in applications where application.signsOnCurve {
            let key = try TestECKeys.embedded().authorityPublicKey(
                rid: application.rid, suite: application.offlineAuthentication?.certificates ?? .p256)
            if !found.contains(key) { found.append(key) }
        }
        return found
    }

    /// The certificates of this card that the payment systems revoked.
    public var revokedCertificates: [CertificateRevocation] {
        applications.filter { $0.offlineAuthentication?.isRevoked == true }.map {
            let suite = $0.offlineAuthentication?.certificates ?? .p256
            return CertificateRevocation(
                rid: $0.rid,
                index: $0.signsOnCurve
                    ? TestECKeys.authorityIndex(suite) : $0.keySizes.certificationAuthorityIndex,
                serialNumber: CardCertificates.revokedSerialNumber)
        }
    }
}

/// The application usage control (tag 9F07; EMV Book 3 annex C2).
public struct ApplicationUsage: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    /// Takes both bytes as a number, the first byte highest.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let domesticCash = ApplicationUsage(rawValue: 0x8000)
    public static let internationalCash = ApplicationUsage(rawValue: 0x4000)
    public static let domesticGoods = ApplicationUsage(rawValue: 0x2000)
    public static let internationalGoods = ApplicationUsage(rawValue: 0x1000)
    public static let domesticServices = ApplicationUsage(rawValue: 0x0800)
    public static let internationalServices = ApplicationUsage(rawValue: 0x0400)
    public static let atm = ApplicationUsage(rawValue: 0x0200)
    public static let otherThanATM = ApplicationUsage(rawValue: 0x0100)
    public static let domesticCashback = ApplicationUsage(rawValue: 0x0080)
    public static let internationalCashback = ApplicationUsage(rawValue: 0x0040)
    public static let everything = ApplicationUsage(rawValue: 0xFFC0)

    /// The bits by their words in profiles.
    public static let words: KeyValuePairs<String, ApplicationUsage> = [
        "everything": .everything, "domesticCash": .domesticCash, "internationalCash": .internationalCash,
        "domesticGoods": .domesticGoods, "internationalGoods": .internationalGoods,
        "domesticServices": .domesticServices, "internationalServices": .internationalServices, "atm": .atm,
        "otherThanATM": .otherThanATM, "domesticCashback": .domesticCashback,
        "internationalCashback": .internationalCashback,
    ]

    /// The value of tag 9F07, two bytes.
    public var encoded: [UInt8] { rawValue.bigEndianBytes }
}

/// Secret bytes with shared ownership: a `SensitiveBytes` behind a reference. Prints as a mask.
public final class SealedBytes: Sendable, CustomStringConvertible, CustomReflectable {
    public let bytes: SensitiveBytes

    /// Copies `bytes`. The caller must wipe its own copy.
    public init(_ bytes: some Collection<UInt8>) { self.bytes = SensitiveBytes(bytes) }

    /// Returns a plain copy. The caller must wipe it.
    func copy() -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }

    public var description: String { "SealedBytes(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
