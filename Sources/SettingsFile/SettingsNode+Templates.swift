extension SettingsNode {
    /// The same place with another text in it, as it stands after a variable was filled in.
    public func withText(_ text: String) -> SettingsNode {
        var isPlain = true
        if case .text(_, let wasPlain) = content { isPlain = wasPlain }
        return copy(with: .text(text, isPlain: isPlain))
    }

    /// The value with each of its texts replaced, at any depth; keys stay as they are.
    ///
    /// - Parameter replacement: what stands in place of a text. Nothing (`key:`) is not asked about.
    /// - Returns: the value with its new texts.
    /// - Throws: whatever `replacement` throws.
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

    /// This value laid over another one: of two mappings every key counts, and this one's come first where both have
    /// it. A mapping over a list changes the list's first entry. Anything else takes the place of what it lies over.
    /// Every value keeps its place in its own file.
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

    /// A mapping without some of its keys; any other value as it is.
    public func without(keys: [String]) -> SettingsNode {
        guard case .mapping(let entries) = content else { return self }
        return copy(with: .mapping(entries.filter { !keys.contains($0.key) }))
    }

    /// A list of this value alone; a list as it is.
    public var asList: SettingsNode { kind == .list ? self : copy(with: .list([self])) }

    /// A mapping with this value under one key.
    public func wrapped(in key: String) -> SettingsNode {
        SettingsNode(location, "", .mapping([SettingsEntry(key: key, location: location, value: self)]))
    }

    private func copy(with content: Content) -> SettingsNode {
        var node = SettingsNode(location, keyPath, content)
        node.isConcealed = isConcealed
        return node
    }
}
