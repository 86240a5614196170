public import Files
internal import Networking

/// The settings of every store, and those that belong to none, in one JSON file:
/// `{"version": 1, "till": {"<name>": …}, "sites": {"<number>": {"<name>": …}}}`.
///
/// A setting is changed alone: the others stay as they are, and so does what this version of the program does not know.
/// A file that cannot be read is an error, and is never overwritten.
public struct AppSettingsFile: Sendable {
    private let path: String
    private let storage = FileStorage()

    private static let version = 1

    public init(path: String) { self.path = path }

    /// A setting of a store; nil when it was never set.
    ///
    /// - Throws: ``Files/FileStorageError``
    func value<Value>(of key: SettingsKey<Value>, siteID: Int64) throws(FileStorageError) -> Value? {
        try read(key, in: site(siteID, of: try document(try storage.contents(of: path))))
    }

    /// Changes a setting of a store, from what it is to what `change` makes of it; nil removes it.
    ///
    /// - Returns: what the setting was.
    /// - Throws: ``Files/FileStorageError``; then the file is as it was.
    @discardableResult
    func update<Value>(
        _ key: SettingsKey<Value>, siteID: Int64, _ change: (Value?) -> Value?
    ) throws(FileStorageError) -> Value? {
        try storage.update(path) { bytes throws(FileStorageError) in
            let document = try document(bytes)
            let site = site(siteID, of: document)
            let before = try read(key, in: site)
            let changed = change(before)
            let sites = (document["sites"] ?? .object([]))
                .setting("\(siteID)", to: site.setting(key.name, to: changed.map(key.write)))
            return (self.bytes(document.setting("sites", to: sites)), before)
        }
    }

    /// Sets a setting of a store; nil removes it.
    ///
    /// - Throws: ``Files/FileStorageError``; then the file is as it was.
    func set<Value>(_ key: SettingsKey<Value>, siteID: Int64, to value: Value?) throws(FileStorageError) {
        try update(key, siteID: siteID) { _ in value }
    }

    /// Removes settings of all stores.
    ///
    /// - Parameter names: of the settings.
    /// - Throws: ``Files/FileStorageError``; then the file is as it was.
    func remove(_ names: [String]) throws(FileStorageError) {
        // Where there is no file, none is made.
        guard try storage.contents(of: path) != nil else { return }
        try storage.update(path) { bytes throws(FileStorageError) in
            let document = try document(bytes)
            guard case .object(let sites) = document["sites"] else { return (nil, ()) }
            let kept = sites.map { site in
                JSONValue.Member(site.name, names.reduce(site.value) { $0.setting($1, to: nil) })
            }
            return (self.bytes(document.setting("sites", to: .object(kept))), ())
        }
    }

    /// The printer that was chosen for this till; nil when none was.
    ///
    /// - Throws: ``Files/FileStorageError``
    public func defaultPrinter() throws(FileStorageError) -> String? {
        try read(Self.defaultPrinterKey, in: till(of: try document(try storage.contents(of: path))))
    }

    /// Chooses a printer for this till; nil takes the choice back.
    ///
    /// - Throws: ``Files/FileStorageError``; then the file is as it was.
    public func setDefaultPrinter(_ name: String?) throws(FileStorageError) {
        let key = Self.defaultPrinterKey
        try storage.update(path) { bytes throws(FileStorageError) in
            let document = try document(bytes)
            let till = till(of: document).setting(key.name, to: name.map(key.write))
            return (self.bytes(document.setting("till", to: till)), ())
        }
    }

    private static let defaultPrinterKey = SettingsKey<String>.text("defaultPrinter")

    private func till(of document: JSONValue) -> JSONValue { document["till"] ?? .object([]) }

    private func document(_ bytes: [UInt8]?) throws(FileStorageError) -> JSONValue {
        guard let bytes else { return ["version": JSONValue(Self.version)] }
        let document: JSONValue
        do throws(JSONSyntaxError) { document = try JSONDocument(bytes).value } catch {
            throw .malformed(path: path, reason: "it is not JSON: \(error)")
        }
        guard case .number(let digits) = document["version"], let found = Int(digits) else {
            throw .malformed(path: path, reason: "it has no version")
        }
        guard found <= Self.version else {
            throw .newerVersion(path: path, found: found, supported: Self.version)
        }
        if let till = document["till"] {
            guard case .object = till else { throw .malformed(path: path, reason: "'till' is no object") }
        }
        if let sites = document["sites"] {
            guard case .object(let members) = sites else {
                throw .malformed(path: path, reason: "'sites' is no object")
            }
            for member in members {
                guard case .object = member.value else {
                    throw .malformed(path: path, reason: "the settings of site \(member.name.prefix(20)) are no object")
                }
            }
        }
        return document
    }

    private func site(_ siteID: Int64, of document: JSONValue) -> JSONValue {
        document["sites"]?["\(siteID)"] ?? .object([])
    }

    private func read<Value>(_ key: SettingsKey<Value>, in site: JSONValue) throws(FileStorageError) -> Value? {
        guard let value = site[key.name] else { return nil }
        guard let read = key.read(value) else { throw .malformed(path: path, reason: "'\(key.name)' is no such value") }
        return read
    }

    private func bytes(_ document: JSONValue) -> [UInt8] { Array((document.indentedJSONText + "\n").utf8) }
}

extension JSONValue {
    /// The same object with one member changed, added at the end, or removed. Everything else stays as it is, in its place.
    fileprivate func setting(_ name: String, to value: JSONValue?) -> JSONValue {
        guard case .object(var members) = self else { return self }
        let index = members.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): members[index] = Member(name, value)
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(name, value))
        case (nil, nil): break
        }
        return .object(members)
    }
}
