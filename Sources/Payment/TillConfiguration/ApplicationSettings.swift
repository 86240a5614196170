internal import EMV
internal import Money
internal import Settings
internal import SmartCard
internal import Text

/// One entry of the section `applications`.
struct ApplicationSettings {
    var name: String?
    var application: TerminalApplication

    private static let keys = [
        "aid", "name", "partialSelection", "versions", "actionCodes", "floorLimit", "randomSelection",
        "velocityCheck", "defaultDDOL", "defaultTDOL",
    ]

    init(standard application: TerminalApplication) {
        (name, self.application) = (StandardApplicationNames.byAID[application.aid], application)
    }

    /// Missing values are those of the standard application with the same AID, if there is one.
    init(_ node: SettingsNode, currency: Currency) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        let aid = try node.required("aid").hex(length: 5...16)
        let standard = TerminalApplication.standard.first { $0.aid == aid }
        name = try node.optional("name")?.line(length: 1...40) ?? StandardApplicationNames.byAID[aid]

        let versions = try Self.versions(node, standard)
        let actionCodes = try Self.actionCodes(node, standard)
        let floorLimit = try node.optional("floorLimit")?.shortMoney(currency) ?? standard?.floorLimit ?? 0
        let selection = try node.optional("randomSelection").map { (node) throws(SettingsError) in
            try Self.randomSelection(node, currency, floorLimit: floorLimit)
        }
        let partialSelection = try node.optional("partialSelection")?.bool()
        let velocityCheck = try node.optional("velocityCheck")?.bool()
        let ddol = try Self.dataObjectList(node, "defaultDDOL")
        let tdol = try Self.dataObjectList(node, "defaultTDOL")
        if let ddol, !ddol.asks(for: EMVTag.unpredictableNumber), let node = try node.optional("defaultDDOL") {
            throw node.error("the list does not contain the unpredictable number", fix: "write 9F3704")
        }
        do throws(TerminalConfigurationError) {
            application = try TerminalApplication(
                aid: aid, allowsPartialSelection: partialSelection ?? standard?.allowsPartialSelection ?? true,
                versions: versions, actionCodes: actionCodes, floorLimit: floorLimit,
                randomSelection: selection ?? standard?.randomSelection ?? .never,
                checksVelocity: velocityCheck ?? standard?.checksVelocity ?? true,
                defaultDDOL: (ddol ?? standard?.defaultDDOL)?.encoded ?? Self.standardDDOL,
                defaultTDOL: (tdol ?? standard?.defaultTDOL)?.encoded)
        } catch {
            throw node.error(error.description)
        }
    }

    /// The unpredictable number, four bytes.
    private static let standardDDOL: [UInt8] = [0x9F, 0x37, 0x04]

    /// Returns a required value, which only an entry for a standard application may omit.
    private static func value(
        _ key: String, of node: SettingsNode, _ standard: TerminalApplication?
    ) throws(SettingsError) -> SettingsNode? {
        standard == nil ? try node.required(key) : try node.optional(key)
    }

    private static func versions(
        _ node: SettingsNode, _ standard: TerminalApplication?
    ) throws(SettingsError) -> [UInt16] {
        guard let list = try value("versions", of: node, standard) else { return standard?.versions ?? [] }
        var versions: [UInt16] = []
        for version in try list.list(count: 1...16) {
            versions.append(try version.hex(length: 2).reduce(0) { $0 << 8 | UInt16($1) })
        }
        return versions
    }

    private static func actionCodes(
        _ node: SettingsNode, _ standard: TerminalApplication?
    ) throws(SettingsError) -> ActionCodes {
        var codes = standard?.actionCodes ?? ActionCodes(denial: [], online: [], default: [])
        guard let node = try value("actionCodes", of: node, standard) else { return codes }
        try node.mapping(allowedKeys: ["denial", "online", "default"])
        func read(_ key: String, into code: inout TerminalVerificationResults) throws(SettingsError) {
            guard let node = try value(key, of: node, standard) else { return }
            code = TerminalVerificationResults(bytes: try node.hex(length: 5)) ?? code
        }
        try read("denial", into: &codes.denial)
        try read("online", into: &codes.online)
        try read("default", into: &codes.default)
        return codes
    }

    private static func randomSelection(
        _ node: SettingsNode, _ currency: Currency, floorLimit: UInt32
    ) throws(SettingsError) -> RandomSelection {
        try node.mapping(allowedKeys: ["threshold", "target", "maximum"])
        let threshold = try node.optional("threshold")?.shortMoney(currency) ?? 0
        if threshold > 0, threshold >= floorLimit {
            throw (try node.optional("threshold") ?? node).error(
                "the threshold is not below the floor limit, so it selects nothing")
        }
        let target = try node.optional("target")?.int(in: 0...99) ?? 0
        let maximum = try node.optional("maximum")?.int(in: target...99) ?? target
        do throws(TerminalConfigurationError) {
            return try RandomSelection(threshold: threshold, targetPercentage: target, maximumPercentage: maximum)
        } catch {
            throw node.error(error.description)
        }
    }

    private static func dataObjectList(_ node: SettingsNode, _ key: String) throws(SettingsError) -> DataObjectList? {
        guard let node = try node.optional(key) else { return nil }
        let bytes = try node.hex(length: 1...252)
        do throws(DataObjectListError) {
            return try DataObjectList(bytes)
        } catch {
            throw node.error(error.description)
        }
    }
}

extension DataObjectList {
    /// The list in the card's format: tag and length of each entry.
    var encoded: [UInt8] { entries.flatMap { $0.tag.bytes + [UInt8(clamping: $0.length)] } }
}

/// The names of the applications in ``EMV/TerminalApplication/standard``.
enum StandardApplicationNames {
    static let byAID: [[UInt8]: String] = Dictionary(
        TerminalApplication.standard.compactMap { application in
            names.first { $0.key == application.aid.hexadecimal }.map { (application.aid, $0.value) }
        }, uniquingKeysWith: { first, _ in first })

    private static let names: KeyValuePairs = [
        "A0000000031010": "Visa credit and debit", "A0000000032010": "Visa Electron", "A0000000032020": "V PAY",
        "A0000000033010": "Visa Interlink", "A0000000041010": "Mastercard credit and debit",
        "A0000000043060": "Maestro", "A0000000042203": "US Maestro", "A00000002501": "American Express",
        "A0000000651010": "JCB", "A0000001523010": "Discover", "A0000001524010": "Discover US common debit",
        "A000000333010101": "UnionPay debit", "A000000333010102": "UnionPay credit",
        "A000000333010103": "UnionPay quasi credit", "A000000333010108": "UnionPay US debit",
        "A0000002771010": "Interac", "A00000038410": "eftpos savings", "A00000038420": "eftpos cheque and credit",
        "A0000000980840": "Visa US common debit",
    ]
}

/// The section `applications`: a complete list, or changes and additions to the standard applications.
struct ApplicationListSettings {
    private(set) var entries = TerminalApplication.standard.map(ApplicationSettings.init(standard:))

    /// The maximum number of entries.
    private static let limit = 100

    /// A nil node means that the file has no such section.
    init(_ node: SettingsNode?, currency: Currency) throws(SettingsError) {
        guard let node else { return }
        guard node.kind == .mapping else {
            entries = try Self.list(node, currency)
            return
        }
        try node.mapping(allowedKeys: ["extends", "list"])
        _ = try node.required("extends").choice(of: ["standard": true])
        for changed in try Self.list(try node.required("list"), currency) {
            if let index = entries.firstIndex(where: { $0.application.aid == changed.application.aid }) {
                entries[index] = changed
            } else {
                entries.append(changed)
            }
        }
    }

    private static func list(_ node: SettingsNode, _ currency: Currency) throws(SettingsError) -> [ApplicationSettings]
    {
        var entries: [ApplicationSettings] = []
        for element in try node.list(count: 1...limit) {
            let entry = try ApplicationSettings(element, currency: currency)
            guard !entries.contains(where: { $0.application.aid == entry.application.aid }) else {
                throw (try element.required("aid")).error("duplicate AID", fix: "remove one of the entries")
            }
            entries.append(entry)
        }
        return entries
    }

    var applications: [TerminalApplication] { entries.map(\.application) }

    var names: [[UInt8]: String] {
        Dictionary(
            entries.compactMap { entry in entry.name.map { (entry.application.aid, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
