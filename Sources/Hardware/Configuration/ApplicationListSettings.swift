internal import Amounts
internal import EMV
internal import SettingsFile

/// The section `applications`: a list that stands for itself, or one that changes and adds to the standard.
struct ApplicationListSettings {
    private(set) var entries = TerminalApplication.standard.map(ApplicationSettings.init(standard:))

    /// The most entries of a list.
    private static let limit = 100

    /// Without a node the file has no such section.
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
                throw (try element.required("aid")).error("the AID is there twice", fix: "remove one of the entries")
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
