import CCID
import Hardware
import MagneticStripe
import Settings
import USB

/// The section `readers`: the shop's settings for its readers.
struct ReaderSettings {
    let quirks: ReaderQuirkTable
    let firmware: ReaderFirmwareCatalog
    let reconnection: ReconnectionPolicy

    /// The maximum number of rows.
    private static let rowLimit = 200
    private static let rowKeys = ["reader", "firmware", "name", "source"] + ReaderQuirk.Kind.allCases.map(\.rawValue)

    init(_ section: SettingsNode?) throws(SettingsError) {
        guard let section else {
            (quirks, firmware, reconnection) = (.embedded, ReaderFirmwareCatalog(), ReconnectionPolicy())
            return
        }
        try section.mapping(allowedKeys: ["reconnect", "allowRefusedFirmware", "firmware", "quirks"])
        reconnection = try Self.reconnection(try section.optional("reconnect"))
        firmware = try ReaderFirmwareSettings(try section.optional("firmware")).catalog
        var rules: [ReaderQuirkRule] = []
        for node in try section.optional("quirks")?.list(count: 0...Self.rowLimit) ?? [] {
            rules.append(try Self.rule(node))
        }
        quirks = ReaderQuirkTable(
            rules: ReaderQuirkTable.embedded.rules + rules,
            allowsRefusedFirmware: try section.optional("allowRefusedFirmware")?.bool() ?? false)
    }

    private static func reconnection(_ node: SettingsNode?) throws(SettingsError) -> ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        guard let node else { return policy }
        try node.mapping(allowedKeys: ["enabled", "giveUpAfter"])
        policy.isEnabled = try node.optional("enabled")?.bool() ?? policy.isEnabled
        if let seconds = try node.optional("giveUpAfter")?.int(in: 1...86_400) {
            policy.giveUpAfter = .seconds(seconds)
        }
        return policy
    }

    private static func rule(_ node: SettingsNode) throws(SettingsError) -> ReaderQuirkRule {
        try node.mapping(allowedKeys: rowKeys)
        let given = try node.optional("reader")?.usbID()
        let name = try node.optional("name")?.line(length: 1...60)
        let firmware = try node.optional("firmware").map(firmware)
        let source = try node.optional("source")?.line(length: 1...200)
        var (quirks, lifted): ([ReaderQuirk], Set<ReaderQuirk.Kind>) = ([], [])
        for kind in ReaderQuirk.Kind.allCases {
            guard let value = try node.optional(kind.rawValue) else { continue }
            if let quirk = try quirk(kind, value) { quirks.append(quirk) } else { lifted.insert(kind) }
        }
        let reader = try node.required("reader", given)
        var rule = ReaderQuirkRule(
            name ?? "a reader of this till", vendorID: reader.vendor, productID: reader.product,
            firmware: firmware ?? ReaderRelease.all, source: source ?? ReaderQuirkRule.tillSource)
        (rule.quirks, rule.lifted) = (quirks, lifted)
        guard !rule.quirks.isEmpty || !rule.lifted.isEmpty else {
            throw node.error(
                "the row contains no settings for the reader", fix: "add one of the keys that docs/readers.md lists")
        }
        return rule
    }

    /// Reads one release, or the first and the last of a range.
    private static func firmware(_ node: SettingsNode) throws(SettingsError) -> ClosedRange<ReaderRelease> {
        let parts = try node.text(length: 1...40).split(separator: "-", omittingEmptySubsequences: false)
        let releases = parts.compactMap { ReaderRelease(String($0)) }
        guard releases.count == parts.count, (1...2).contains(parts.count), let first = releases.first,
            let last = releases.last
        else {
            throw node.error(
                "not a firmware release", fix: "write one such as 5.16, or a range such as 1.00-1.12")
        }
        guard first <= last else { throw node.error("the range ends before it starts") }
        return first...last
    }

    /// Returns the quirk; nil when the reader does not have it.
    private static func quirk(
        _ kind: ReaderQuirk.Kind, _ node: SettingsNode
    ) throws(SettingsError) -> ReaderQuirk? {
        // A quirk without a value is on or off.
        func flag(_ quirk: ReaderQuirk) throws(SettingsError) -> ReaderQuirk? { try node.bool() ? quirk : nil }
        if node.kind == .text, (try? node.bool()) == false { return nil }
        switch kind {
        case .refusedFirmware: return .refusedFirmware(fix: try node.line(length: 1...200))
        case .startPause: return .startPause(.milliseconds(try node.int(in: 1...60_000)))
        case .firstAnswer: return .firstAnswer(.milliseconds(try node.int(in: 1...120_000)))
        case .pinMessages: return .pinMessages(UInt8(clamping: try node.int(in: 0...255)))
        case .exchangeLevel: return .exchangeLevel(try node.choice(of: ReaderQuirk.exchangeLevels))
        case .maximumDataRate: return .maximumDataRate(UInt32(clamping: try node.int(in: 1...10_000_000)))
        case .informationFieldSize: return .informationFieldSize(UInt8(clamping: try node.int(in: 1...254)))
        case .messageLength: return .messageLength(UInt32(clamping: try node.int(in: 271...65_554)))
        case .slotCount: return .slotCount(UInt8(clamping: try node.int(in: 1...16)))
        case .noPINPad: return try flag(.noPINPad)
        case .swappedPINDigits: return try flag(.swappedPINDigits)
        case .noProtocolSelection: return try flag(.noProtocolSelection)
        case .noIFSDNegotiation: return try flag(.noIFSDNegotiation)
        case .polled: return try flag(.polled)
        case .noAbort: return try flag(.noAbort)
        case .oneInterfaceAtATime: return try flag(.oneInterfaceAtATime)
        case .vendorSpecificClass: return try flag(.vendorSpecificClass)
        case .noAutosuspend: return try flag(.noAutosuspend)
        }
    }

}

extension ReaderQuirkRule {
    /// The default source of a row in the configuration.
    static let tillSource = "the till's configuration"
}

extension ReaderQuirk {
    /// The exchange levels and their names in the configuration.
    static let exchangeLevels: KeyValuePairs<String, CCIDExchangeLevel> = [
        "character": .character, "tpdu": .tpdu, "shortAPDU": .shortAPDU, "extendedAPDU": .extendedAPDU,
    ]

    /// The value in the configuration's format; nil for a quirk without a value.
    var setting: String? {
        switch self {
        case .refusedFirmware(let fix): fix
        case .startPause(let duration), .firstAnswer(let duration):
            String(duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000)
        case .pinMessages(let number), .informationFieldSize(let number), .slotCount(let number): String(number)
        case .exchangeLevel(let level): Self.exchangeLevels.first { $0.value == level }?.key
        case .maximumDataRate(let number), .messageLength(let number): String(number)
        case .noPINPad, .swappedPINDigits, .noProtocolSelection, .noIFSDNegotiation, .polled, .noAbort,
            .oneInterfaceAtATime, .vendorSpecificClass, .noAutosuspend:
            nil
        }
    }
}

/// The list `readers.firmware`: the shop's firmware files.
struct ReaderFirmwareSettings {
    let catalog: ReaderFirmwareCatalog

    private static let rowLimit = 100
    private static let keys = ["reader", "version", "file", "updateMode", "required", "requiredFrom"]

    init(_ section: SettingsNode?) throws(SettingsError) {
        var rows: [ReaderFirmware] = []
        for node in try section?.list(count: 0...Self.rowLimit) ?? [] { rows.append(try Self.row(node)) }
        catalog = ReaderFirmwareCatalog(rows)
    }

    private static func row(_ node: SettingsNode) throws(SettingsError) -> ReaderFirmware {
        try node.mapping(allowedKeys: keys)
        let given = try node.optional("reader")?.usbID()
        let updateID = try node.optional("updateMode")?.usbID()
        let version = try node.optional("version").map(release)
        let file = try node.optional("file")?.path()
        let need = try need(node)
        let reader = try node.required("reader", given)
        let updateMode = updateID ?? reader
        return ReaderFirmware(
            vendorID: reader.vendor, productID: reader.product, updateVendorID: updateMode.vendor,
            updateProductID: updateMode.product, release: try node.required("version", version),
            file: try node.required("file", file), need: need)
    }

    private static func release(_ node: SettingsNode) throws(SettingsError) -> ReaderRelease {
        guard let release = ReaderRelease(try node.text(length: 1...40)) else {
            throw node.error("not a firmware release", fix: "write one such as 5.16")
        }
        return release
    }

    private static func need(_ node: SettingsNode) throws(SettingsError) -> ReaderFirmwareUpdate.Need {
        let isRequired = try node.optional("required")?.bool()
        guard let date = try node.optional("requiredFrom") else { return isRequired == true ? .required : .optional }
        guard isRequired == nil else {
            throw date.error("it contradicts 'required'", fix: "remove one of them")
        }
        return .requiredFrom(try date.date())
    }
}

extension MagneticStripePolicy {
    /// The section `terminal.magstripe`; without it, the defaults of
    /// ``init(isEnabled:allowsFallback:chipFailures:path:readers:)``.
    init(_ node: SettingsNode?) throws(SettingsError) {
        self.init()
        guard let node else { return }
        try node.mapping(allowedKeys: ["enabled", "fallback", "chipFailures", "path", "keyboards"])
        if let node = try node.optional("enabled") { isEnabled = try node.bool() }
        if let node = try node.optional("fallback") { allowsFallback = try node.bool() }
        if let node = try node.optional("chipFailures") { chipFailures = try node.int(in: 1...9) }
        if let node = try node.optional("path") { path = try node.choice(HIDAccess.self) }
        for element in try node.optional("keyboards")?.list(count: 0...20) ?? [] {
            readers.append(try Self.keyboard(element))
        }
    }

    /// Reads vendor and product in the format of `lsusb`: `0801:0001`.
    private static func keyboard(_ node: SettingsNode) throws(SettingsError) -> MagneticStripeReaderModel {
        guard let device = USBIdentifiers(try node.text()) else {
            throw node.error("not a USB device", fix: "write vendor and product as lsusb does: 0801:0001")
        }
        return MagneticStripeReaderModel(vendorID: device.vendor, productID: device.product, format: .keyboard)
    }

    /// The configured keyboards, without the known models.
    var keyboards: [String] {
        readers.dropFirst(MagneticStripeReaderModel.known.count).map {
            USBIdentifiers(vendor: $0.vendorID, product: $0.productID).description
        }
    }
}
