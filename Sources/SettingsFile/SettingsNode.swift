/// A value in a settings file: text, a list or a mapping, with its place.
///
/// A description of it shows the place and never the content, which may be secret.
public struct SettingsNode: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Where the value begins.
    public let location: SettingsLocation
    /// The way to it, for example `applications[0].floorLimit`; empty for the outermost value.
    public let keyPath: String
    let content: Content
    var isConcealed = false

    enum Content: Hashable, Sendable {
        case text(String, isPlain: Bool)
        case list([SettingsNode])
        case mapping([SettingsEntry])
    }

    init(_ location: SettingsLocation, _ keyPath: String, _ content: Content) {
        (self.location, self.keyPath, self.content) = (location, keyPath, content)
    }

    /// The same value, whose errors do not quote it: for PANs, PINs and keys.
    public var concealed: SettingsNode {
        var node = self
        node.isConcealed = true
        return node
    }

    /// The shape of the value.
    public var kind: SettingsKind {
        switch content {
        case .text: isNothing ? .nothing : .text
        case .list: .list
        case .mapping: .mapping
        }
    }

    /// Whether nothing stands after the key: blank, `~` or `null` without quotes.
    var isNothing: Bool {
        guard case .text(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// An error at this value, for what only its reader can judge.
    public func error(_ message: String, fix: String? = nil) -> SettingsError {
        failure(.invalid(message: message, fix: fix))
    }

    func failure(_ problem: SettingsProblem) -> SettingsError {
        SettingsError(location: location, keyPath: keyPath, problem: problem)
    }

    public var description: String { "SettingsNode(\(location): \(keyPath))" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A key of a mapping and its value.
public struct SettingsEntry: Hashable, Sendable {
    public let key: String
    /// Where the key stands.
    public let location: SettingsLocation
    public let value: SettingsNode
}

extension SettingsNode {
    /// The elements of a list.
    ///
    /// - Parameter count: how many there may be.
    /// - Returns: the elements in the order of the file.
    /// - Throws: ``SettingsError`` when the value is no list or has another number of elements.
    public func list(count: ClosedRange<Int> = 0...Int.max) throws(SettingsError) -> [SettingsNode] {
        guard case .list(let nodes) = content else { throw failure(.wrongKind(expected: .list, found: kind)) }
        guard count.contains(nodes.count) else {
            throw failure(
                .wrongLength(
                    found: nodes.count, minimum: count.lowerBound, maximum: count.upperBound, unit: .entries))
        }
        return nodes
    }

    /// The keys and values of a mapping, in the order of the file.
    ///
    /// - Throws: ``SettingsError`` when the value is no mapping.
    public func entries() throws(SettingsError) -> [SettingsEntry] {
        guard case .mapping(let entries) = content else { throw failure(.wrongKind(expected: .mapping, found: kind)) }
        return entries
    }

    /// This value, once it is known to be a mapping with no other keys than these.
    ///
    /// - Throws: ``SettingsError`` at the first unknown key, with the nearest known one.
    @discardableResult
    public func mapping(allowedKeys: [String]) throws(SettingsError) -> SettingsNode {
        for entry in try entries() where !allowedKeys.contains(entry.key) {
            throw SettingsError(
                location: entry.location, keyPath: keyPath,
                problem: .unknownKey(
                    entry.key, nearest: NearestName.to(entry.key, among: allowedKeys), allowed: allowedKeys))
        }
        return self
    }

    /// The value of a key; nil when the key is not there or has nothing after it.
    ///
    /// - Throws: ``SettingsError`` when this value is no mapping.
    public func optional(_ key: String) throws(SettingsError) -> SettingsNode? {
        guard let entry = try entries().first(where: { $0.key == key }), !entry.value.isNothing else { return nil }
        return entry.value
    }

    /// The value of a key that must be there.
    ///
    /// - Throws: ``SettingsError`` at this mapping, or at the key when nothing stands after it.
    public func required(_ key: String) throws(SettingsError) -> SettingsNode {
        guard let entry = try entries().first(where: { $0.key == key }) else { throw failure(.missingKey(key)) }
        guard !entry.value.isNothing else {
            throw SettingsError(
                location: entry.location, keyPath: entry.value.keyPath,
                problem: .wrongKind(expected: .text, found: .nothing))
        }
        return entry.value
    }
}
