import EMV
import Money
import Settings
import SmartCard
import Text

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
        let given = try Given(node, currency)
        let aid = try node.required("aid", given.aid)
        let standard = TerminalApplication.standard.first { $0.aid == aid }
        name = given.name ?? StandardApplicationNames.byAID[aid]
        let floorLimit = given.floorLimit ?? standard?.floorLimit ?? 0
        let selection = try given.randomSelection?.value(floorLimit: floorLimit)
        let versions = try node.required("versions", given.versions ?? standard?.versions)
        let actionCodes = try Self.actionCodes(given.actionCodes, node, standard?.actionCodes)
        let (ddol, tdol) = (given.ddol, given.tdol)
        do throws(TerminalConfigurationError) {
            application = try TerminalApplication(
                aid: aid, allowsPartialSelection: given.partialSelection ?? standard?.allowsPartialSelection ?? true,
                versions: versions, actionCodes: actionCodes, floorLimit: floorLimit,
                randomSelection: selection ?? standard?.randomSelection ?? .never,
                checksVelocity: given.velocityCheck ?? standard?.checksVelocity ?? true,
                defaultDDOL: (ddol ?? standard?.defaultDDOL)?.encoded ?? Self.standardDDOL,
                defaultTDOL: (tdol ?? standard?.defaultTDOL)?.encoded)
        } catch {
            throw node.error(error.description)
        }
    }

    /// The unpredictable number, four bytes.
    private static let standardDDOL: [UInt8] = [0x9F, 0x37, 0x04]

    /// Returns the action codes; only those of a standard application may be omitted.
    private static func actionCodes(
        _ given: GivenActionCodes?, _ node: SettingsNode, _ standard: ActionCodes?
    ) throws(SettingsError) -> ActionCodes {
        guard let given else { return try node.required("actionCodes", standard) }
        return ActionCodes(
            denial: try given.node.required("denial", given.denial ?? standard?.denial),
            online: try given.node.required("online", given.online ?? standard?.online),
            default: try given.node.required("default", given.default ?? standard?.default))
    }

    fileprivate static func dataObjectList(_ node: SettingsNode, _ key: String) throws(SettingsError) -> DataObjectList?
    {
        guard let node = try node.optional(key) else { return nil }
        let bytes = try node.hex(length: 1...252)
        do throws(DataObjectListError) {
            return try DataObjectList(bytes)
        } catch {
            throw node.error(error.description)
        }
    }
}

/// The values of an entry as they stand in the file. All of them are read before one of them is required.
private struct Given {
    let aid: [UInt8]?
    let name: String?
    let versions: [UInt16]?
    let actionCodes: GivenActionCodes?
    let floorLimit: UInt32?
    let randomSelection: GivenSelection?
    let partialSelection: Bool?
    let velocityCheck: Bool?
    let ddol: DataObjectList?
    let tdol: DataObjectList?

    init(_ node: SettingsNode, _ currency: Currency) throws(SettingsError) {
        aid = try node.optional("aid")?.hex(length: 5...16)
        name = try node.optional("name")?.line(length: 1...40)
        versions = try node.optional("versions").map(Self.versions)
        actionCodes = try node.optional("actionCodes").map(GivenActionCodes.init)
        floorLimit = try node.optional("floorLimit")?.shortMoney(currency)
        randomSelection = try node.optional("randomSelection").map { (node) throws(SettingsError) in
            try GivenSelection(node, currency)
        }
        partialSelection = try node.optional("partialSelection")?.bool()
        velocityCheck = try node.optional("velocityCheck")?.bool()
        ddol = try ApplicationSettings.dataObjectList(node, "defaultDDOL")
        tdol = try ApplicationSettings.dataObjectList(node, "defaultTDOL")
        if let ddol, !ddol.asks(for: EMVTag.unpredictableNumber), let node = try node.optional("defaultDDOL") {
            throw node.error("the list does not contain the unpredictable number", fix: "write 9F3704")
        }
    }

    private static func versions(_ list: SettingsNode) throws(SettingsError) -> [UInt16] {
        var versions: [UInt16] = []
        for version in try list.list(count: 1...16) {
            versions.append(try version.hex(length: 2).reduce(0) { $0 << 8 | UInt16($1) })
        }
        return versions
    }
}

/// The action codes of an entry.
private struct GivenActionCodes {
    let node: SettingsNode
    let denial: TerminalVerificationResults?
    let online: TerminalVerificationResults?
    let `default`: TerminalVerificationResults?

    init(_ node: SettingsNode) throws(SettingsError) {
        self.node = node
        try node.mapping(allowedKeys: ["denial", "online", "default"])
        func code(_ key: String) throws(SettingsError) -> TerminalVerificationResults? {
            try node.optional(key)?.hex(length: 5).asVerificationResults
        }
        (denial, online, `default`) = (try code("denial"), try code("online"), try code("default"))
    }
}

extension [UInt8] {
    fileprivate var asVerificationResults: TerminalVerificationResults? { TerminalVerificationResults(bytes: self) }
}

/// The random selection of an entry.
private struct GivenSelection {
    let node: SettingsNode
    let threshold: UInt32
    let target: Int
    let maximum: Int

    init(_ node: SettingsNode, _ currency: Currency) throws(SettingsError) {
        self.node = node
        try node.mapping(allowedKeys: ["threshold", "target", "maximum"])
        threshold = try node.optional("threshold")?.shortMoney(currency) ?? 0
        target = try node.optional("target")?.int(in: 0...99) ?? 0
        maximum = try node.optional("maximum")?.int(in: target...99) ?? target
    }

    func value(floorLimit: UInt32) throws(SettingsError) -> RandomSelection {
        if threshold > 0, threshold >= floorLimit {
            throw (try node.optional("threshold") ?? node).error(
                "the threshold is not below the floor limit, so it selects nothing")
        }
        do throws(TerminalConfigurationError) {
            return try RandomSelection(threshold: threshold, targetPercentage: target, maximumPercentage: maximum)
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
