import ContactlessKernel8
public import Determinism
import EMV
import Hardware
import Money
import Payments
import Settings

/// The section `terminal`.
struct TerminalSettings {
    var id: String
    var type: TerminalType
    var country: UInt16
    var acquirerID: UInt64
    var interfaceDeviceSerial: String
    var capabilities: TerminalCapabilities
    var additionalCapabilities: AdditionalTerminalCapabilities
    var pin: PINPolicy
    var pinScheme: PINPadScheme
    var applicationChoice: Bool
    /// The account types that the cardholder can choose.
    var accountTypes: [AccountType] = []
    var magneticStripe: MagneticStripePolicy
    var contactless: ContactlessPolicy
    /// nil without relay resistance.
    var relayResistance: RelayResistanceRules?

    static let keys = [
        "id", "type", "country", "acquirerId", "interfaceDeviceSerial", "capabilities", "additionalCapabilities",
        "pin", "applicationChoice", "accountTypes", "magstripe", "contactless",
        "relayResistance",
    ]

    /// A nil node means that the file has no such section.
    init(_ node: SettingsNode?, currency: Currency) throws(SettingsError) {
        let standard = TerminalConfiguration.standard
        (id, type, country) = (standard.terminalIdentification, standard.type, standard.country)
        (acquirerID, interfaceDeviceSerial) = (standard.acquirer, standard.interfaceDeviceSerial)
        (capabilities, additionalCapabilities) = (standard.capabilities, standard.additionalCapabilities)
        (pin, applicationChoice) = (standard.pinPolicy, standard.offersApplicationChoice)
        pinScheme = TillConfiguration.standardPINPadScheme
        magneticStripe = try MagneticStripePolicy(try node?.optional("magstripe"))
        contactless = try ContactlessSettings.policy(try node?.optional("contactless"), currency)
        guard let node else { return }

        try node.mapping(allowedKeys: Self.keys)
        if let node = try node.optional("id") { id = try node.printable(length: 8...8) }
        if let node = try node.optional("type") { type = try Self.type(node) }
        if let node = try node.optional("country") { country = try Self.country(node) }
        if let node = try node.optional("acquirerId") { acquirerID = UInt64(try node.int(in: 0...99_999_999_999)) }
        if let node = try node.optional("interfaceDeviceSerial") {
            interfaceDeviceSerial = try node.printable(length: 8...8)
        }
        if let node = try node.optional("capabilities") {
            capabilities = try CapabilityNames.terminal.read(node)
            guard capabilities.contains(.contactChip) else {
                throw node.error("the terminal must support contact chip cards", fix: "add contactChip")
            }
        } else if !type.isAttended {
            // An attendant would have to compare it.
            capabilities.remove(.signature)
        }
        if let node = try node.optional("additionalCapabilities") {
            additionalCapabilities = try CapabilityNames.additional.read(node)
        }
        for node in try node.optional("accountTypes")?.list(count: 0...AccountType.allCases.count) ?? [] {
            let type = try node.choice(AccountType.self)
            guard !accountTypes.contains(type) else { throw node.error("'\(type.rawValue)' is listed twice") }
            accountTypes.append(type)
        }
        if let node = try node.optional("pin") { (pin, pinScheme) = try Self.pin(node, standard: (pin, pinScheme)) }
        if pin.entry == .reader {
            // A PIN pad on the reader excludes enciphered PINs of the terminal. Defaults are adjusted; configured
            // values must agree.
            let impossible: TerminalCapabilities = [.encipheredOnlinePIN, .encipheredOfflinePIN]
            if let node = try node.optional("capabilities"), !capabilities.isDisjoint(with: impossible) {
                throw node.error(
                    "with pin.entry 'reader' no PIN reaches the terminal, so the terminal cannot encipher it",
                    fix: "leave encipheredOnlinePIN and encipheredOfflinePIN out, or use pin.entry 'readerFirst'")
            }
            capabilities.subtract(impossible)
        }
        relayResistance = try RelayResistanceSettings.rules(try node.optional("relayResistance"))
        if let node = try node.optional("applicationChoice") { applicationChoice = try node.bool() }
    }

    private static func type(_ node: SettingsNode) throws(SettingsError) -> TerminalType {
        let text = try node.text()
        guard text.utf8.count == 2, let number = UInt8(text, radix: 16), let type = TerminalType(rawValue: number)
        else {
            throw node.error(
                "not a terminal type", fix: "write 11 to 16, 21 to 26 or 34 to 36; a shop's till is 22 or 21")
        }
        return type
    }

    private static func country(_ node: SettingsNode) throws(SettingsError) -> UInt16 {
        guard let country = CountryCode.numeric(try node.text()), CountryCode.isAssigned(country) else {
            throw node.error("not a country", fix: "write an ISO 3166 code such as US, USA or 840")
        }
        return country
    }

    private static func pin(
        _ node: SettingsNode, standard: (policy: PINPolicy, scheme: PINPadScheme)
    ) throws(SettingsError) -> (PINPolicy, PINPadScheme) {
        try node.mapping(allowedKeys: [
            "bypass", "bypassCoversLaterMethods", "tries", "entry", "readerRefusal", "readerSeconds", "scheme",
        ])
        var policy = standard.policy
        if let node = try node.optional("bypass") { policy.allowsBypass = try node.bool() }
        if let node = try node.optional("bypassCoversLaterMethods") {
            policy.bypassCoversLaterMethods = try node.bool()
        }
        if let node = try node.optional("tries") { policy.maximumTries = try node.int(in: 1...15) }
        if let node = try node.optional("entry") { policy.entry = try node.choice(PINPolicy.Entry.self) }
        if let node = try node.optional("readerRefusal") {
            policy.readerRefusal = try node.choice(PINPolicy.Refusal.self)
        }
        if let node = try node.optional("readerSeconds") { policy.readerSeconds = UInt8(try node.int(in: 5...255)) }
        return (policy, try node.optional("scheme")?.choice(PINPadScheme.self) ?? standard.scheme)
    }
}

/// How long an offline payment counts when the same card pays again (EMV Book 3 §10.6.1).
public enum SplitSaleWindow: Hashable, Sendable {
    /// Never: the terminal has no log.
    case none
    /// Until midnight, local time.
    case day
    /// 1...168 hours.
    case hours(Int)

    /// The time from which payments count; nil when none do.
    public func start(at time: any TimeSource) -> Timestamp? {
        let now = time.now()
        switch self {
        case .none: return nil
        case .day:
            let clock = time.localDate()
            let seconds = clock.hour * 3600 + clock.minute * 60 + clock.second
            return now.advanced(by: .milliseconds(-1000 * Int64(seconds) - now.milliseconds % 1000))
        case .hours(let hours): return now.advanced(by: .seconds(-3600 * hours))
        }
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        switch try node.text() {
        case "none": self = .none
        case "day": self = .day
        case let text:
            guard text.utf8.count <= 3, let hours = Int(text), (1...168).contains(hours) else {
                throw node.error("not a duration", fix: "write day, none, or 1 to 168 hours")
            }
            self = .hours(hours)
        }
    }

    /// The value in the configuration's format.
    var setting: String {
        switch self {
        case .none: "none"
        case .day: "day"
        case .hours(let hours): String(hours)
        }
    }
}

/// The names of a data element's bits in a settings file. Bits without a name are rejected: they are reserved, or the
/// kernel does not support them.
struct FlagNames<Flags: ByteFlags>: Sendable {
    let names: KeyValuePairs<String, Flags>

    /// Reads a list of names, or the whole data element as hexadecimal digits.
    func read(_ node: SettingsNode) throws(SettingsError) -> Flags {
        var flags: Flags = []
        guard node.kind == .text else {
            for word in try node.list(count: 1...names.count) { flags.formUnion(try word.choice(of: names)) }
            return flags
        }
        let bytes = try node.hex(length: Flags.byteCount)
        flags = Flags(bytes: bytes) ?? []
        let unknown = flags.subtracting(names.reduce(into: []) { $0.formUnion($1.value) })
        guard unknown.isEmpty else {
            throw node.error(
                "the bits \(unknown) are reserved or not supported by this terminal", fix: "leave them out")
        }
        return flags
    }

    /// Returns the names of the bits that are set.
    func names(of flags: Flags) -> [String] { names.filter { flags.isSuperset(of: $0.value) }.map(\.key) }
}

/// The names of the terminal's capabilities.
enum CapabilityNames {
    /// Tag 9F33. Card capture and biometrics have no names: the kernel does not support them, and must not
    /// announce them to card and issuer.
    static let terminal = FlagNames<TerminalCapabilities>(names: [
        "manualKeyEntry": .manualKeyEntry, "magneticStripe": .magneticStripe, "contactChip": .contactChip,
        "plaintextOfflinePIN": .plaintextOfflinePIN, "encipheredOnlinePIN": .encipheredOnlinePIN,
        "signature": .signature, "encipheredOfflinePIN": .encipheredOfflinePIN, "noCVM": .noCVMRequired,
        "sda": .sda, "dda": .dda, "cda": .cda, "xda": .xda,
    ])

    /// Tag 9F40. The code tables are those in which the kernel reads a card's application names.
    static let additional = FlagNames<AdditionalTerminalCapabilities>(names: [
        "cash": .cash, "goods": .goods, "services": .services, "cashback": .cashback, "inquiry": .inquiry,
        "transfer": .transfer, "payment": .payment, "administrative": .administrative, "cashDeposit": .cashDeposit,
        "numericKeys": .numericKeys, "alphabeticKeys": .alphabeticKeys, "commandKeys": .commandKeys,
        "functionKeys": .functionKeys, "attendantPrinter": .attendantPrinter,
        "cardholderPrinter": .cardholderPrinter, "attendantDisplay": .attendantDisplay,
        "cardholderDisplay": .cardholderDisplay, "codeTable1": .codeTable(1), "codeTable5": .codeTable(5),
        "codeTable9": .codeTable(9),
    ])
}
