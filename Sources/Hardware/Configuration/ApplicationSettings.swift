internal import Amounts
internal import EMV
internal import SettingsFile
internal import SmartCard

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

    /// What is left out is as in the standard application of the same AID, if there is one.
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
            throw node.error("the list does not ask for the unpredictable number", fix: "write 9F3704")
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

    /// A key that only an entry for a standard application may leave out.
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
    /// The list as cards write it: tag and length of each entry.
    var encoded: [UInt8] { entries.flatMap { $0.tag.bytes + [UInt8(clamping: $0.length)] } }
}
