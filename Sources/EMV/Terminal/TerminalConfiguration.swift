/// What a terminal is and what it may do: the terminal data of EMV Book 4 §10, validated.
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
    /// The applications in the order in which a card without a directory is asked for them.
    public let applications: [TerminalApplication]
    /// The payment systems' public keys.
    public let certificationAuthorityKeys: [CAPublicKey]
    /// Issuer certificates that the payment systems have revoked.
    public let revokedCertificates: [CertificateRevocation]
    public let pinPolicy: PINPolicy
    /// Whether the cardholder can choose and confirm an application (EMV Book 1 §12.4). Without it the
    /// application of the highest priority is taken, and none that wants confirmation.
    public let offersApplicationChoice: Bool

    /// Every parameter that is left out is as in ``standard``.
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

    /// The same terminal with more public keys and revoked certificates. A key that it has already, by RID and index,
    /// stays as it is.
    public func adding(
        certificationAuthorityKeys keys: [CAPublicKey], revokedCertificates revoked: [CertificateRevocation] = []
    ) -> TerminalConfiguration {
        let new = keys.filter { key in
            !certificationAuthorityKeys.contains { $0.rid == key.rid && $0.index == key.index }
        }
        return TerminalConfiguration(
            unchecked: type, capabilities, additionalCapabilities, country, merchantCategory, merchantIdentifier,
            merchantNameAndLocation, terminalIdentification, interfaceDeviceSerial, acquirer, applications,
            certificationAuthorityKeys + new, revokedCertificates + revoked, pinPolicy, offersApplicationChoice)
    }

    /// The same terminal with more of the capabilities that no other setting depends on: how it reads cards (9F33 byte 1).
    public func adding(capabilities more: TerminalCapabilities) -> TerminalConfiguration {
        let reading: TerminalCapabilities = [.manualKeyEntry, .magneticStripe, .contactChip]
        return TerminalConfiguration(
            unchecked: type, capabilities.union(more.intersection(reading)), additionalCapabilities, country,
            merchantCategory, merchantIdentifier, merchantNameAndLocation, terminalIdentification,
            interfaceDeviceSerial, acquirer, applications, certificationAuthorityKeys, revokedCertificates, pinPolicy,
            offersApplicationChoice)
    }

    /// Whether the cardholder may go on without a PIN: only where somebody attends (Book 4 §6.3.4.3).
    public var mayBypassPIN: Bool { pinPolicy.allowsBypass && type.isAttended }

    /// What a reader's own PIN pad cannot do: it holds no key.
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

    /// 20F8C8: contact chip; every PIN method, signature and no CVM; SDA, DDA and CDA; no card capture, because the
    /// kernel asks for none and a card must not be told otherwise.
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
