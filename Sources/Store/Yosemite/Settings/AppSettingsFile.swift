import Determinism
public import Files
import Networking
import Text

/// The settings of every store, and those of the till, in one JSON file:
/// `{"version": 1, "till": {"<name>": …}, "sites": {"<number>": {"<name>": …}}}`.
///
/// Changing a setting preserves the others, also those that this version of the program doesn't know. A file that can't
/// be read is an error, and is never overwritten.
public struct AppSettingsFile: Sendable {
    private let path: String
    private let storage = FileStorage()

    private static let version = 1

    /// Names the file, which need not exist: until the first change, all settings are the defaults.
    public init(path: String) { self.path = path }

    /// Returns a setting of a store; nil for none.
    ///
    /// - Throws: ``Files/FileStorageError``
    func value<Value>(of key: SettingsKey<Value>, siteID: Int64) throws(FileStorageError) -> Value? {
        try read(key, in: site(siteID, of: try document(try storage.contents(of: path))))
    }

    /// Changes a setting of a store to the value that `change` returns for the current one; nil removes it.
    ///
    /// - Returns: the previous value.
    /// - Throws: ``Files/FileStorageError``; the file is then unchanged.
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
    /// - Throws: ``Files/FileStorageError``; the file is then unchanged.
    func set<Value>(_ key: SettingsKey<Value>, siteID: Int64, to value: Value?) throws(FileStorageError) {
        try update(key, siteID: siteID) { _ in value }
    }

    /// Removes settings of all stores.
    ///
    /// - Parameter names: the names of the settings.
    /// - Throws: ``Files/FileStorageError``; the file is then unchanged.
    func remove(_ names: [String]) throws(FileStorageError) {
        // A missing file is not created.
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

    /// Returns the default printer of this till; nil for none.
    ///
    /// - Throws: ``Files/FileStorageError``
    public func defaultPrinter() throws(FileStorageError) -> String? {
        try read(Self.defaultPrinterKey, in: till(of: try document(try storage.contents(of: path))))
    }

    /// Sets the default printer of this till; nil removes it.
    ///
    /// - Throws: ``Files/FileStorageError``; the file is then unchanged.
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
            guard case .object = till else { throw .malformed(path: path, reason: "'till' is not an object") }
        }
        if let sites = document["sites"] {
            guard case .object(let members) = sites else {
                throw .malformed(path: path, reason: "'sites' is not an object")
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
        guard let read = key.read(value) else { throw .malformed(path: path, reason: "'\(key.name)' is invalid") }
        return read
    }

    private func bytes(_ document: JSONValue) -> [UInt8] { Array((document.indentedJSONText + "\n").utf8) }
}

extension JSONValue {
    /// Returns the object with one member changed, appended, or removed. The other members keep their places.
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

/// A setting: its name in the file, and the conversion of its value.
struct SettingsKey<Value>: Sendable {
    let name: String
    /// Nil for a value of another type.
    let read: @Sendable (JSONValue) -> Value?
    let write: @Sendable (Value) -> JSONValue
}

extension SettingsKey<String> {
    static func text(_ name: String) -> SettingsKey<String> {
        SettingsKey(
            name: name, read: { if case .text(let text) = $0 { text } else { nil } }, write: { .text($0) })
    }
}

extension SettingsKey<Bool> {
    static func flag(_ name: String) -> SettingsKey<Bool> {
        SettingsKey(
            name: name, read: { if case .bool(let flag) = $0 { flag } else { nil } }, write: { .bool($0) })
    }
}

extension SettingsKey<Int64> {
    static func number(_ name: String) -> SettingsKey<Int64> {
        SettingsKey(
            name: name, read: { if case .number(let digits) = $0 { Int64(digits) } else { nil } },
            write: { JSONValue($0) })
    }
}

extension SettingsKey<[Int64]> {
    static func numbers(_ name: String) -> SettingsKey<[Int64]> {
        let number = SettingsKey<Int64>.number(name)
        return SettingsKey(
            name: name,
            read: { value in
                guard case .list(let elements) = value else { return nil }
                let numbers = elements.compactMap(number.read)
                return numbers.count == elements.count ? numbers : nil
            }, write: { .list($0.map(number.write)) })
    }
}

extension SettingsKey<[String: Timestamp]> {
    static func moments(_ name: String) -> SettingsKey<[String: Timestamp]> {
        let number = SettingsKey<Int64>.number(name)
        return SettingsKey(
            name: name,
            read: { value in
                guard case .object(let members) = value else { return nil }
                var moments: [String: Timestamp] = [:]
                for member in members {
                    guard let milliseconds = number.read(member.value) else { return nil }
                    moments[member.name] = Timestamp(milliseconds: milliseconds)
                }
                return moments
            },
            write: { moments in
                .object(
                    moments.sorted { $0.key < $1.key }.map {
                        JSONValue.Member($0.key, number.write($0.value.milliseconds))
                    })
            })
    }
}

/// The user's filter for the orders of a store.
public struct OrdersSettings: Hashable, Sendable {
    /// Only orders with these statuses, by their slugs; empty for all.
    public var statuses: [String]
    /// Only orders from this day on, such as `2026-01-31`; nil for all.
    public var from: String?
    /// Only orders up to this day; nil for all.
    public var to: String?
    /// Only orders with this product.
    public var productID: Int64?
    /// Only orders of this customer.
    public var customerID: Int64?

    /// Combines conditions; nil and an empty list filter nothing. `from` and `to` are days such as 2026-01-02.
    public init(
        statuses: [String] = [], from: String? = nil, to: String? = nil, productID: Int64? = nil,
        customerID: Int64? = nil
    ) {
        (self.statuses, self.from, self.to) = (statuses, from, to)
        (self.productID, self.customerID) = (productID, customerID)
    }
}

extension SettingsKey<OrdersSettings> {
    static var orders: SettingsKey<OrdersSettings> {
        SettingsKey(
            name: "orders",
            read: { value in
                guard case .object = value else { return nil }
                var settings = OrdersSettings()
                if let statuses = value["statuses"] {
                    guard case .list(let words) = statuses else { return nil }
                    settings.statuses = words.compactMap(\.textValue)
                }
                (settings.from, settings.to) = (value["from"]?.textValue, value["to"]?.textValue)
                settings.productID = value["product"]?.textValue.flatMap { Int64($0) }
                settings.customerID = value["customer"]?.textValue.flatMap { Int64($0) }
                return settings
            },
            write: { settings in
                var members = [JSONValue.Member("statuses", .list(settings.statuses.map { .text($0) }))]
                if let from = settings.from { members.append(JSONValue.Member("from", .text(from))) }
                if let to = settings.to { members.append(JSONValue.Member("to", .text(to))) }
                if let product = settings.productID { members.append(JSONValue.Member("product", JSONValue(product))) }
                if let customer = settings.customerID {
                    members.append(JSONValue.Member("customer", JSONValue(customer)))
                }
                return .object(members)
            })
    }
}

/// The carrier last chosen for shipments of a store.
public struct TrackingProviderChoice: Hashable, Sendable {
    public let name: String
    /// The tracking page; nil for one of the store's carriers.
    public let url: String?

    /// Takes the carrier's name, and the address of its tracking page if the store does not know it.
    public init(name: String, url: String? = nil) { (self.name, self.url) = (name, url) }
}

extension SettingsKey<TrackingProviderChoice> {
    static var trackingProvider: SettingsKey<TrackingProviderChoice> { provider("trackingProvider") }
    static var customTrackingProvider: SettingsKey<TrackingProviderChoice> { provider("customTrackingProvider") }

    private static func provider(_ name: String) -> SettingsKey<TrackingProviderChoice> {
        SettingsKey(
            name: name,
            read: { value in
                value["name"]?.textValue.map { TrackingProviderChoice(name: $0, url: value["url"]?.textValue) }
            },
            write: { choice in
                var members = [JSONValue.Member("name", .text(choice.name))]
                if let url = choice.url { members.append(JSONValue.Member("url", .text(url))) }
                return .object(members)
            })
    }
}
