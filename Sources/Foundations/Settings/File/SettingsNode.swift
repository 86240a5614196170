/// A value in a settings file, with its location: text, a list or a mapping.
///
/// Its description shows the location and never the content, which may be secret.
public struct SettingsNode: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The location at which the value begins.
    public let location: SettingsLocation
    /// The path to the value, for example `applications[0].floorLimit`; empty for the outermost value.
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

    /// The same value with errors that do not quote it: for PANs, PINs and keys.
    public var concealed: SettingsNode {
        var node = self
        node.isConcealed = true
        return node
    }

    /// The kind of the value.
    public var kind: SettingsKind {
        switch content {
        case .text: isNothing ? .nothing : .text
        case .list: .list
        case .mapping: .mapping
        }
    }

    /// Whether the key has no value: blank, `~` or `null` without quotes.
    var isNothing: Bool {
        guard case .text(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// Returns an error at this value, for checks of the caller.
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
    /// The location of the key.
    public let location: SettingsLocation
    public let value: SettingsNode
}

extension SettingsNode {
    /// Returns the elements of a list.
    ///
    /// - Parameter count: the allowed number of elements.
    /// - Returns: the elements in the order of the file.
    /// - Throws: ``SettingsError`` when the value is not a list or has a different number of elements.
    public func list(count: ClosedRange<Int> = 0...Int.max) throws(SettingsError) -> [SettingsNode] {
        guard case .list(let nodes) = content else { throw failure(.wrongKind(expected: .list, found: kind)) }
        guard count.contains(nodes.count) else {
            throw failure(
                .wrongLength(
                    found: nodes.count, minimum: count.lowerBound, maximum: count.upperBound, unit: .entries))
        }
        return nodes
    }

    /// Returns the keys and values of a mapping, in the order of the file.
    ///
    /// - Throws: ``SettingsError`` when the value is not a mapping.
    public func entries() throws(SettingsError) -> [SettingsEntry] {
        guard case .mapping(let entries) = content else { throw failure(.wrongKind(expected: .mapping, found: kind)) }
        return entries
    }

    /// Checks that the value is a mapping without other keys, and returns it.
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

    /// Returns the value of a key; nil when the key is missing or has no value.
    ///
    /// - Throws: ``SettingsError`` when this value is not a mapping.
    public func optional(_ key: String) throws(SettingsError) -> SettingsNode? {
        guard let entry = try entries().first(where: { $0.key == key }), !entry.value.isNothing else { return nil }
        return entry.value
    }

    /// Returns the value of a required key.
    ///
    /// - Throws: ``SettingsError`` at this mapping, or at the key when it has no value.
    public func required(_ key: String) throws(SettingsError) -> SettingsNode {
        guard let entry = try entries().first(where: { $0.key == key }) else { throw failure(.missingKey(key)) }
        guard !entry.value.isNothing else {
            throw SettingsError(
                location: entry.location, keyPath: entry.value.keyPath,
                problem: .wrongKind(expected: .text, found: .nothing))
        }
        return entry.value
    }

    /// Returns the value of a required key that was read as an optional one.
    ///
    /// A reader that reads all values before it requires one lets ``mistakes(limit:_:)`` find the mistakes of all: it
    /// does not read on without a required value.
    ///
    /// - Throws: ``SettingsError`` as ``required(_:)``, when the value is nil.
    public func required<Value>(_ key: String, _ value: Value?) throws(SettingsError) -> Value {
        guard let value else {
            _ = try required(key)
            throw failure(.missingKey(key))
        }
        return value
    }
}

extension SettingsLocation {
    /// The location of a value that is not in a file.
    public static let nowhere = SettingsLocation(file: "", line: 1, column: 1)
}

extension SettingsNode {
    /// Makes a text to write to a file. As in a file, the reader decides about its type: `true` can be a boolean, `12`
    /// a number. An empty text is also a text.
    public static func text(_ text: String) -> SettingsNode {
        let plain = SettingsNode(.nowhere, "", .text(text, isPlain: true))
        return plain.isNothing ? SettingsNode(.nowhere, "", .text(text, isPlain: false)) : plain
    }

    /// Makes a list to write to a file.
    public static func list(_ nodes: [SettingsNode]) -> SettingsNode { SettingsNode(.nowhere, "", .list(nodes)) }

    /// Makes a mapping to write to a file, with its keys in this order. Keys must be unique.
    public static func mapping(_ entries: [(key: String, value: SettingsNode)]) -> SettingsNode {
        SettingsNode(
            .nowhere, "",
            .mapping(entries.map { SettingsEntry(key: $0.key, location: .nowhere, value: $0.value) }))
    }
}

extension SettingsNode {
    /// Returns a different text at the same location, for example with the value of a variable.
    public func withText(_ text: String) -> SettingsNode {
        var isPlain = true
        if case .text(_, let wasPlain) = content { isPlain = wasPlain }
        return copy(with: .text(text, isPlain: isPlain))
    }

    /// Returns the value with each of its texts replaced, at any depth. Keys stay unchanged.
    ///
    /// - Parameter replacement: returns the new value of a text. It is not called for keys without a value (`key:`).
    /// - Returns: the value with its new texts.
    /// - Throws: the errors of `replacement`.
    public func replacingTexts<Failure: Error>(
        _ replacement: (SettingsNode) throws(Failure) -> SettingsNode
    ) throws(Failure) -> SettingsNode {
        switch content {
        case .text:
            return isNothing ? self : try replacement(self)
        case .list(let nodes):
            var replaced: [SettingsNode] = []
            for node in nodes { replaced.append(try node.replacingTexts(replacement)) }
            return copy(with: .list(replaced))
        case .mapping(let entries):
            var replaced: [SettingsEntry] = []
            for entry in entries {
                replaced.append(
                    SettingsEntry(
                        key: entry.key, location: entry.location, value: try entry.value.replacingTexts(replacement)))
            }
            return copy(with: .mapping(replaced))
        }
    }

    /// Returns this value merged over another one. Mappings are merged by key, and this mapping takes precedence. A
    /// mapping over a list changes the first element. Any other value replaces the one below. Every value keeps its
    /// location in its own file.
    public func laid(over base: SettingsNode) -> SettingsNode {
        switch (content, base.content) {
        case (.mapping(let entries), .mapping(let baseEntries)):
            var merged = baseEntries
            for entry in entries {
                guard let index = merged.firstIndex(where: { $0.key == entry.key }) else {
                    merged.append(entry)
                    continue
                }
                let value = entry.value.laid(over: merged[index].value)
                merged[index] = SettingsEntry(key: entry.key, location: entry.location, value: value)
            }
            return base.copy(with: .mapping(merged))
        case (.mapping, .list(let baseNodes)):
            guard let first = baseNodes.first else { return base.copy(with: .list([self])) }
            return base.copy(with: .list([laid(over: first)] + baseNodes.dropFirst()))
        default: return self
        }
    }

    /// Returns a mapping without some of its keys; any other value unchanged.
    public func without(keys: [String]) -> SettingsNode {
        guard case .mapping(let entries) = content else { return self }
        return copy(with: .mapping(entries.filter { !keys.contains($0.key) }))
    }

    /// Returns a list with only this value; a list unchanged.
    public var asList: SettingsNode { kind == .list ? self : copy(with: .list([self])) }

    /// Returns a mapping with this value under one key.
    public func wrapped(in key: String) -> SettingsNode {
        SettingsNode(location, "", .mapping([SettingsEntry(key: key, location: location, value: self)]))
    }

    func copy(with content: Content) -> SettingsNode {
        var node = SettingsNode(location, keyPath, content)
        node.isConcealed = isConcealed
        return node
    }
}
