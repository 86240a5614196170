public import EMV
public import SettingsFile

/// The payment systems' public keys that a terminal holds, and where each of them was read (EMV Book 2 §11.2.1,
/// Book 4 §10.2).
///
/// Every key has been held against its checksum. A key may stand in several files, but not as several keys.
public struct CAPublicKeyStore: Hashable, Sendable {
    /// A key and its place.
    public struct Entry: Hashable, Sendable {
        public let key: CAPublicKey
        /// Where it was read first.
        public let location: SettingsLocation
    }

    /// In the order in which they were read.
    public private(set) var entries: [Entry] = []

    /// The most keys of a terminal.
    static let limit = 150

    /// The keys without their places.
    public var keys: [CAPublicKey] { entries.map(\.key) }

    /// Reads files of keys: YAML lists or JSON lines.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` with the place of the fault.
    public init(files: [String]) throws(SettingsError) {
        for file in files { try add(try SettingsDocument.list(path: file)) }
    }

    /// Reads the keys of a till's configuration file, and of the files that its section `capks` names.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` with the place of the fault.
    public init(configuration path: String) throws(SettingsError) {
        try self.init(section: try SettingsDocument(path: path).root.optional("capks"))
    }

    /// Reads the section `capks`.
    init(section: SettingsNode?) throws(SettingsError) {
        try add(try ListWithFiles.values(section))
    }

    private mutating func add(_ nodes: [SettingsNode]) throws(SettingsError) {
        for node in nodes {
            let key = try CAPublicKeySettings(node).key
            if let known = entries.first(where: { $0.key.rid == key.rid && $0.key.index == key.index }) {
                try check(key, node, against: known)
                continue
            }
            guard entries.count < Self.limit else { throw node.error("more than \(Self.limit) keys") }
            entries.append(Entry(key: key, location: node.location))
        }
    }

    private func check(_ key: CAPublicKey, _ node: SettingsNode, against known: Entry) throws(SettingsError) {
        let name = "key \([key.index].hexadecimal) of \(key.rid.hexadecimal)"
        guard key.key == known.key.key else {
            throw node.error(
                "\(name) is another key than in \(known.location)",
                fix: "ask the acquirer which one is the payment system's, and remove the other")
        }
        guard key.expiry == known.key.expiry else {
            throw node.error("\(name) expires on another day in \(known.location)", fix: "remove one of them")
        }
        guard node.location.file != known.location.file else {
            throw node.error("\(name) is there twice, first in line \(known.location.line)", fix: "remove one of them")
        }
    }
}
