import Text

/// A validated terminal configuration: the terminal data of EMV Book 4 §10.
public struct TerminalConfiguration: Hashable, Sendable {
    /// Tag 9F35
    public let type: TerminalType
    /// Tag 9F33
    public let capabilities: TerminalCapabilities
    /// Tag 9F40
    public let additionalCapabilities: AdditionalTerminalCapabilities
    /// Tag 9F1A: ISO 3166 numeric, 1...999.
    public let country: UInt16
    /// Tag 9F15: ISO 18245, 0...9999.
    public let merchantCategory: UInt16
    /// Tag 9F16: 1...15 characters.
    public let merchantIdentifier: String
    /// Tag 9F4E: 1...99 characters.
    public let merchantNameAndLocation: String
    /// Tag 9F1C: 8 characters.
    public let terminalIdentification: String
    /// Tag 9F1E: 8 characters.
    public let interfaceDeviceSerial: String
    /// Tag 9F01: up to 11 digits.
    public let acquirer: UInt64
    /// The supported applications, in the order in which they are selected on a card without a directory.
    public let applications: [TerminalApplication]
    /// The payment systems' RSA public keys.
    public let certificationAuthorityKeys: [CAPublicKey]
    /// The payment systems' public keys on elliptic curves, for XDA and for kernel 8.
    public private(set) var ellipticAuthorityKeys: [ECCAuthorityKey] = []
    /// Issuer certificates revoked by the payment systems.
    public let revokedCertificates: [CertificateRevocation]
    public let pinPolicy: PINPolicy
    /// Whether the cardholder can choose and confirm an application (EMV Book 1 §12.4). If not, the terminal selects
    /// the application with the highest priority that needs no confirmation.
    public let offersApplicationChoice: Bool
    /// The account types that the cardholder can choose (5F57), in the order in which they are offered; empty if the
    /// terminal does not support the selection. The default account is always offered.
    public var accountTypes: [UInt8] = []

    /// Creates a configuration. Defaults are those of ``standard``.
    ///
    /// - Throws: ``TerminalConfigurationError``
    public init(
        type: TerminalType = .attendedMerchant,
        capabilities: TerminalCapabilities = Self.standardCapabilities,
        additionalCapabilities: AdditionalTerminalCapabilities = Self.standardAdditionalCapabilities,
        country: UInt16 = 840, merchantCategory: UInt16 = 5999, merchantIdentifier: String = "000000000000001",
        merchantNameAndLocation: String = "CardPresent", terminalIdentification: String = "00000001",
        interfaceDeviceSerial: String = "00000001", acquirer: UInt64 = 1,
        applications: [TerminalApplication] = TerminalApplication.standard,
        certificationAuthorityKeys: [CAPublicKey] = [], revokedCertificates: [CertificateRevocation] = [],
        pinPolicy: PINPolicy = PINPolicy(), offersApplicationChoice: Bool = true
    ) throws(TerminalConfigurationError) {
        guard (1...999).contains(country) else { throw .number(field: "country", maximum: 999) }
        guard merchantCategory <= 9999 else { throw .number(field: "merchant category", maximum: 9999) }
        guard acquirer <= 99_999_999_999 else { throw .number(field: "acquirer", maximum: 99_999_999_999) }
        try Self.check(merchantIdentifier, "merchant identifier", 1...15)
        try Self.check(merchantNameAndLocation, "merchant name and location", 1...99)
        try Self.check(terminalIdentification, "terminal identification", 8...8)
        try Self.check(interfaceDeviceSerial, "interface device serial number", 8...8)
        guard !applications.isEmpty, Set(applications.map(\.aid)).count == applications.count else {
            throw .applications
        }
        guard pinPolicy.entry != .reader || capabilities.isDisjoint(with: Self.capabilitiesBeyondReaderPINPad) else {
            throw .capabilitiesBeyondReaderPINPad
        }
        self.init(
            unchecked: type, capabilities, additionalCapabilities, country, merchantCategory, merchantIdentifier,
            merchantNameAndLocation, terminalIdentification, interfaceDeviceSerial, acquirer, applications,
            certificationAuthorityKeys, revokedCertificates, pinPolicy, offersApplicationChoice)
    }

    private init(
        unchecked type: TerminalType, _ capabilities: TerminalCapabilities,
        _ additionalCapabilities: AdditionalTerminalCapabilities, _ country: UInt16, _ merchantCategory: UInt16,
        _ merchantIdentifier: String, _ merchantNameAndLocation: String, _ terminalIdentification: String,
        _ interfaceDeviceSerial: String, _ acquirer: UInt64, _ applications: [TerminalApplication],
        _ certificationAuthorityKeys: [CAPublicKey], _ revokedCertificates: [CertificateRevocation],
        _ pinPolicy: PINPolicy, _ offersApplicationChoice: Bool
    ) {
        (self.type, self.capabilities, self.additionalCapabilities) = (type, capabilities, additionalCapabilities)
        (self.country, self.merchantCategory, self.acquirer) = (country, merchantCategory, acquirer)
        (self.merchantIdentifier, self.merchantNameAndLocation) = (merchantIdentifier, merchantNameAndLocation)
        self.terminalIdentification = terminalIdentification
        self.interfaceDeviceSerial = interfaceDeviceSerial
        (self.applications, self.certificationAuthorityKeys) = (applications, certificationAuthorityKeys)
        self.revokedCertificates = revokedCertificates
        (self.pinPolicy, self.offersApplicationChoice) = (pinPolicy, offersApplicationChoice)
    }

    /// Returns a copy with more public keys and revoked certificates. Existing keys, by RID and index, are kept.
    public func adding(
        certificationAuthorityKeys keys: [CAPublicKey] = [], ellipticAuthorityKeys ellipticKeys: [ECCAuthorityKey] = [],
        revokedCertificates revoked: [CertificateRevocation] = []
    ) -> TerminalConfiguration {
        let new = keys.filter { key in
            !certificationAuthorityKeys.contains { $0.rid == key.rid && $0.index == key.index }
        }
        var copy = TerminalConfiguration(
            unchecked: type, capabilities, additionalCapabilities, country, merchantCategory, merchantIdentifier,
            merchantNameAndLocation, terminalIdentification, interfaceDeviceSerial, acquirer, applications,
            certificationAuthorityKeys + new, revokedCertificates + revoked, pinPolicy, offersApplicationChoice)
        copy.accountTypes = accountTypes
        copy.ellipticAuthorityKeys =
            ellipticAuthorityKeys
            + ellipticKeys.filter { key in
                !ellipticAuthorityKeys.contains { $0.rid == key.rid && $0.index == key.index }
            }
        return copy
    }

    /// Returns a copy with more card input capabilities (9F33 byte 1); other capabilities are ignored.
    public func adding(capabilities more: TerminalCapabilities) -> TerminalConfiguration {
        let reading: TerminalCapabilities = [.manualKeyEntry, .magneticStripe, .contactChip]
        var copy = TerminalConfiguration(
            unchecked: type, capabilities.union(more.intersection(reading)), additionalCapabilities, country,
            merchantCategory, merchantIdentifier, merchantNameAndLocation, terminalIdentification,
            interfaceDeviceSerial, acquirer, applications, certificationAuthorityKeys, revokedCertificates, pinPolicy,
            offersApplicationChoice)
        (copy.accountTypes, copy.ellipticAuthorityKeys) = (accountTypes, ellipticAuthorityKeys)
        return copy
    }

    /// Whether PIN bypass is allowed: only at attended terminals (Book 4 §6.3.4.3).
    public var mayBypassPIN: Bool { pinPolicy.allowsBypass && type.isAttended }

    /// The capabilities that need a PIN pad with keys, which a reader's PIN pad does not have.
    private static let capabilitiesBeyondReaderPINPad: TerminalCapabilities = [
        .encipheredOnlinePIN, .encipheredOfflinePIN, .encipheredOfflinePINWithECC,
    ]

    private static func check(
        _ text: String, _ field: String, _ lengths: ClosedRange<Int>
    ) throws(TerminalConfigurationError) {
        guard lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .text(field: field, lengths: lengths)
        }
    }

    /// 20F8C8: contact chip; all PIN methods, signature, and no CVM; SDA, DDA, and CDA; no card capture, which the
    /// kernel does not support.
    public static let standardCapabilities: TerminalCapabilities = [
        .contactChip, .plaintextOfflinePIN, .encipheredOnlinePIN, .signature, .encipheredOfflinePIN, .noCVMRequired,
        .sda, .dda, .cda,
    ]

    /// 7000B0F111: goods, services and cashback; numeric, command and function keys; printers and displays for
    /// both sides; the code tables that ``CodeTable`` decodes (ISO/IEC 8859 parts 1, 5 and 9).
    public static let standardAdditionalCapabilities: AdditionalTerminalCapabilities = [
        .goods, .services, .cashback, .numericKeys, .commandKeys, .functionKeys, .attendantPrinter,
        .cardholderPrinter, .attendantDisplay, .cardholderDisplay, .codeTable(1), .codeTable(5), .codeTable(9),
    ]

    /// An attended terminal of a merchant in the United States (type 22, offline with online capability) that
    /// sends every payment online: floor limits of zero, ``TerminalApplication/standard``, no public keys.
    public static let standard = TerminalConfiguration(
        unchecked: .attendedMerchant, standardCapabilities, standardAdditionalCapabilities, 840, 5999,
        "000000000000001", "CardPresent", "00000001", "00000001", 1, TerminalApplication.standard, [], [], PINPolicy(),
        true)
}

/// Why a terminal configuration is not valid. Each case names the field and its limits.
public enum TerminalConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An AID of fewer than 5 or more than 16 bytes.
    case aidLength(Int)
    /// A text with a wrong length or with characters other than printable ASCII.
    case text(field: String, lengths: ClosedRange<Int>)
    /// A number with too many digits.
    case number(field: String, maximum: UInt64)
    /// Percentages outside 0...99, or a maximum below the target.
    case randomSelection(target: Int, maximum: Int)
    /// An application without a version number.
    case noVersion(aid: [UInt8])
    /// No application, or the same AID twice.
    case applications
    /// PINs are entered on the reader only, but the capabilities include a method that needs the terminal's PIN pad.
    case capabilitiesBeyondReaderPINPad
    /// A default data object list is not valid.
    case dataObjectList(DataObjectListError)

    public var description: String {
        switch self {
        case .aidLength(let count): "an AID of \(count) bytes: it must have 5 to 16"
        case .text(let field, let lengths):
            "\(field): give \(lengths.lowerBound) to \(lengths.upperBound) printable ASCII characters"
        case .number(let field, let maximum): "\(field): give a number up to \(maximum)"
        case .randomSelection(let target, let maximum):
            "random selection of \(target) to \(maximum) percent: give 0 to 99, the maximum not below the target"
        case .noVersion(let aid): "application \(aid.hexadecimal) has no version number: give at least one"
        case .applications: "the terminal's applications: give at least one, and each AID once"
        case .capabilitiesBeyondReaderPINPad:
            "PINs are entered on the reader only, which cannot encipher them: remove enciphered offline PIN and "
                + "online PIN from the capabilities"
        case .dataObjectList(let error): "a default data object list: \(error)"
        }
    }
}

/// The terminal's rules for PIN entry (EMV Book 4 §6.3.4).
public struct PINPolicy: Hashable, Sendable {
    /// The device for plaintext offline PINs. Enciphered offline PINs and online PINs need a PIN pad with keys and are
    /// always entered at the terminal.
    public enum Entry: String, Hashable, Sendable, CaseIterable {
        /// On the reader if it has a PIN pad, otherwise at the terminal.
        case readerFirst
        /// On the reader only: no PIN ever reaches the terminal.
        case reader
        /// At the terminal only.
        case terminal
    }

    /// The effect of a canceled or timed out PIN entry on the reader, whose keys have no separate bypass function.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The payment stops.
        case stops
        /// PIN entry is bypassed if ``PINPolicy/allowsBypass`` is true.
        case bypasses
    }

    /// Whether PIN entry may be bypassed at an attended terminal (Book 4 §6.3.4.3). If not, a bypass stops the payment.
    public var allowsBypass: Bool
    /// Whether a bypass also covers the later PIN methods in the card's CVM list.
    public var bypassCoversLaterMethods: Bool
    /// The maximum number of PIN entries in one transaction, regardless of the card's PIN try counter; at least 1.
    public var maximumTries: Int
    public var entry: Entry
    public var readerRefusal: Refusal
    /// The time limit for PIN entry on the reader, in seconds; at least 1.
    public var readerSeconds: UInt8

    /// Sets the rules. Fewer than one try is one; `readerSeconds` is the time limit of an entry on the reader.
    public init(
        allowsBypass: Bool = true, bypassCoversLaterMethods: Bool = true, maximumTries: Int = 3,
        entry: Entry = .readerFirst, readerRefusal: Refusal = .stops, readerSeconds: UInt8 = 30
    ) {
        (self.allowsBypass, self.bypassCoversLaterMethods) = (allowsBypass, bypassCoversLaterMethods)
        self.maximumTries = max(1, maximumTries)
        (self.entry, self.readerRefusal) = (entry, readerRefusal)
        self.readerSeconds = max(1, readerSeconds)
    }
}
