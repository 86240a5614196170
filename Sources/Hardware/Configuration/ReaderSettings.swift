internal import CCID
internal import SettingsFile

/// The section `readers`: what the shop knows of its readers better than the program.
struct ReaderSettings {
    let quirks: ReaderQuirkTable
    let firmware: ReaderFirmwareCatalogue
    let reconnection: ReconnectionPolicy

    /// The most rows of a till.
    private static let rowLimit = 200
    private static let rowKeys = ["reader", "firmware", "name", "source"] + ReaderQuirk.Kind.allCases.map(\.rawValue)

    init(_ section: SettingsNode?) throws(SettingsError) {
        guard let section else {
            (quirks, firmware, reconnection) = (.embedded, ReaderFirmwareCatalogue(), ReconnectionPolicy())
            return
        }
        try section.mapping(allowedKeys: ["reconnect", "allowRefusedFirmware", "firmware", "quirks"])
        reconnection = try Self.reconnection(try section.optional("reconnect"))
        firmware = try ReaderFirmwareSettings(try section.optional("firmware")).catalogue
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
        let (vendor, product) = try node.required("reader").usbID()
        var rule = ReaderQuirkRule(
            try node.optional("name")?.line(length: 1...60) ?? "a reader of this till", vendorID: vendor,
            productID: product, firmware: try node.optional("firmware").map(firmware) ?? ReaderRelease.all,
            source: try node.optional("source")?.line(length: 1...200) ?? ReaderQuirkRule.tillSource)
        for kind in ReaderQuirk.Kind.allCases {
            guard let value = try node.optional(kind.rawValue) else { continue }
            if let quirk = try quirk(kind, value) { rule.quirks.append(quirk) } else { rule.lifted.insert(kind) }
        }
        guard !rule.quirks.isEmpty || !rule.lifted.isEmpty else {
            throw node.error(
                "the row says nothing about the reader", fix: "add one of the keys that docs/readers.md lists")
        }
        return rule
    }

    /// One release, or the first and the last of a range.
    private static func firmware(_ node: SettingsNode) throws(SettingsError) -> ClosedRange<ReaderRelease> {
        let parts = try node.text(length: 1...40).split(separator: "-", omittingEmptySubsequences: false)
        let releases = parts.compactMap { ReaderRelease(String($0)) }
        guard releases.count == parts.count, (1...2).contains(parts.count), let first = releases.first,
            let last = releases.last
        else {
            throw node.error(
                "not a firmware release", fix: "write one such as 5.16, or a range such as 1.00-1.12")
        }
        guard first <= last else { throw node.error("the range ends before it begins") }
        return first...last
    }

    /// Nil when the reader is not to have the quirk.
    private static func quirk(
        _ kind: ReaderQuirk.Kind, _ node: SettingsNode
    ) throws(SettingsError) -> ReaderQuirk? {
        // A quirk without a figure is there or not.
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
    /// What stands in place of a source that the configuration does not name.
    static let tillSource = "the till's configuration"
}

extension ReaderQuirk {
    /// The exchange levels as the configuration names them.
    static let exchangeLevels: KeyValuePairs<String, CCIDExchangeLevel> = [
        "character": .character, "tpdu": .tpdu, "shortAPDU": .shortAPDU, "extendedAPDU": .extendedAPDU,
    ]

    /// The value as the configuration writes it; nil for a quirk that is only there or not.
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
