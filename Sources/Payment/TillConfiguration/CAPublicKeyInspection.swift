public import Settings
import Text

/// The payment systems' public keys in files, with those that a till refuses, and what is wrong with each.
public struct CAPublicKeyInspection: Hashable, Sendable {
    /// A key, or a place where one should be.
    public struct Entry: Hashable, Sendable {
        /// The key; nil if it cannot be read.
        public let key: AuthorityKey?
        public let location: SettingsLocation
        /// Whether the checksum that the source states is right; nil if it states none, or the key cannot be read.
        public let isChecksumRight: Bool?
        /// Why a till refuses the key; nil if it takes it.
        public let mistake: SettingsError?
    }

    /// The keys in the order in which they were read. A key that several files have is in the list once.
    public private(set) var entries: [Entry] = []

    /// Everything that is wrong, in the same order.
    public var mistakes: [SettingsError] { entries.compactMap(\.mistake) }

    /// The maximum number of keys of a terminal.
    private static let limit = 150

    /// Reads key files: YAML lists or JSON lines. A key may lack its checksum.
    public init(files: [String]) {
        let results = files.flatMap { file in
            ListWithFiles.results { () throws(SettingsError) in try SettingsDocument.list(path: file) }
        }
        add(results, requiresChecksum: false)
    }

    /// Reads the keys of a till's configuration file, and of the files in its section `capks`.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` when the configuration cannot be read.
    public init(configuration path: String) throws(SettingsError) {
        self.init(section: try SettingsDocument(path: path).root.optional("capks"))
    }

    /// Reads the section `capks`.
    private init(section: SettingsNode?) { add(ListWithFiles.results(section), requiresChecksum: true) }

    /// Reads the values of the section `capks`.
    init(values: [SettingsNode]) { add(values.map { .success($0) }, requiresChecksum: true) }

    private mutating func add(_ results: [Result<SettingsNode, SettingsError>], requiresChecksum: Bool) {
        for result in results {
            guard entries.count < Self.limit else {
                let error = (try? result.get())?.error("more than \(Self.limit) keys")
                if let error { entries.append(Entry(error)) }
                return
            }
            switch result {
            case .success(let node): add(node, requiresChecksum: requiresChecksum)
            case .failure(let error): entries.append(Entry(error))
            }
        }
    }

    private mutating func add(_ node: SettingsNode, requiresChecksum: Bool) {
        do throws(SettingsError) {
            let settings = try CAPublicKeySettings(node, requiresChecksum: requiresChecksum)
            let key = settings.key
            let known = entries.first { entry in
                entry.mistake == nil && entry.key?.rid == key.rid && entry.key?.index == key.index
            }
            guard let known, let knownKey = known.key else {
                entries.append(
                    Entry(
                        key: key, location: node.location, isChecksumRight: settings.hasChecksum ? true : nil,
                        mistake: nil))
                return
            }
            try Self.check(key, node, against: knownKey, known.location)
        } catch {
            let whole = try? CAPublicKeySettings(node, requiresChecksum: false)
            // What remains of a key with a wrong checksum, to show which key it is.
            let rest = try? CAPublicKeySettings(
                node.without(keys: CAPublicKeySettings.checksumKeys), requiresChecksum: false)
            let isChecksumRight =
                whole.map { $0.hasChecksum ? true : nil } ?? (rest == nil ? nil : false)
            entries.append(
                Entry(
                    key: whole?.key ?? rest?.key, location: node.location, isChecksumRight: isChecksumRight,
                    mistake: error))
        }
    }

    private static func check(
        _ key: AuthorityKey, _ node: SettingsNode, against known: AuthorityKey, _ place: SettingsLocation
    ) throws(SettingsError) {
        let name = "key \([key.index].hexadecimal) of \(key.rid.hexadecimal)"
        guard key.isSameKey(as: known) else {
            throw node.error(
                "\(name) differs from the key in \(place)",
                fix: "ask the acquirer which key is correct, and remove the other one")
        }
        guard key.expiry == known.expiry else {
            throw node.error("\(name) has a different expiration date in \(place)", fix: "remove one of them")
        }
        guard node.location.file != place.file else {
            throw node.error("duplicate \(name), first in line \(place.line)", fix: "remove one of them")
        }
    }
}

extension CAPublicKeyInspection.Entry {
    /// Creates the entry of a key that cannot be used, or of a file without keys.
    fileprivate init(_ mistake: SettingsError) {
        self.init(
            key: nil, location: mistake.location, isChecksumRight: nil, mistake: mistake)
    }
}
