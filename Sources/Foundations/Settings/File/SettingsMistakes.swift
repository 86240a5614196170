extension SettingsDocument {
    /// Finds every mistake in a file: keys that stand twice, and those that a reader of the rest finds.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file.
    ///   - read: reads the outermost value.
    /// - Returns: the errors: duplicate keys in the order of the file, then those in the order of the reader; empty
    ///   when the file is right. A file that cannot be read has one error.
    public static func mistakes(
        path: String, _ read: (SettingsNode) throws(SettingsError) -> Void
    ) -> [SettingsError] {
        let limits = Limits()
        do throws(SettingsError) {
            return mistakes(text: try contents(of: path, limit: limits.bytes), file: path, limits: limits, read)
        } catch {
            return [error]
        }
    }

    /// Finds every mistake in a text; `file` is the file name for errors.
    static func mistakes(
        text: String, file: String, limits: Limits = Limits(), _ read: (SettingsNode) throws(SettingsError) -> Void
    ) -> [SettingsError] {
        var reader = YAMLReader(file: file, limits: limits)
        let (root, errors) = reader.readWithoutDuplicateKeys(text)
        return errors + (root?.mistakes(read) ?? [])
    }
}

extension SettingsNode {
    /// Finds every mistake in a file, where a reader stops at its first one.
    ///
    /// The value with the first mistake is left out, and the rest is read again, until it has no mistake. An error that
    /// only follows from what was left out is not reported.
    ///
    /// - Parameters:
    ///   - limit: the largest number of errors.
    ///   - read: reads the outermost value.
    /// - Returns: the errors in the order of the reader; empty when the file is right.
    public func mistakes(
        limit: Int = 100, _ read: (SettingsNode) throws(SettingsError) -> Void
    ) -> [SettingsError] {
        var (mistakes, pruning): ([SettingsError], Pruning) = ([], Pruning(root: self))
        while mistakes.count < limit, let error = Self.error(of: pruning.root, read) {
            if !pruning.explains(error), !mistakes.contains(error) { mistakes.append(error) }
            // A mistake in another file, or in several values together: leave out the entry that leads to it.
            guard pruning.remove(error) || pruning.removeEntry(where: { Self.error(of: $0, read) != error }) else {
                break
            }
        }
        return mistakes
    }

    private static func error(
        of root: SettingsNode, _ read: (SettingsNode) throws(SettingsError) -> Void
    ) -> SettingsError? {
        do throws(SettingsError) {
            try read(root)
            return nil
        } catch {
            return error
        }
    }

    /// Returns this value without what is at a path; nil when nothing is there.
    fileprivate func removing(at path: String) -> SettingsNode? {
        switch content {
        case .text: return nil
        case .list(let nodes):
            for (index, node) in nodes.enumerated() {
                guard node.keyPath != path else { return copy(with: .list(nodes.removing(at: index))) }
                guard let smaller = node.removing(at: path) else { continue }
                return copy(with: .list(nodes.replacing(at: index, with: smaller)))
            }
        case .mapping(let entries):
            for (index, entry) in entries.enumerated() {
                guard entry.value.keyPath != path else { return copy(with: .mapping(entries.removing(at: index))) }
                guard let smaller = entry.value.removing(at: path) else { continue }
                let changed = SettingsEntry(key: entry.key, location: entry.location, value: smaller)
                return copy(with: .mapping(entries.replacing(at: index, with: changed)))
            }
        }
        return nil
    }

    /// Returns the value at a path.
    fileprivate func value(at path: String) -> SettingsNode? {
        guard keyPath != path else { return self }
        switch content {
        case .text: return nil
        case .list(let nodes): return nodes.lazy.compactMap { $0.value(at: path) }.first
        case .mapping(let entries): return entries.lazy.compactMap { $0.value.value(at: path) }.first
        }
    }
}

/// A file without the values that have mistakes.
private struct Pruning {
    private(set) var root: SettingsNode
    /// The paths of what was left out.
    private var removed: Set<String> = []
    /// Whether a text of the outermost mapping was left out, on which other values may depend, as amounts do on a
    /// currency.
    private var lacksText = false

    init(root: SettingsNode) { self.root = root }

    /// Returns whether an error follows from what was left out.
    func explains(_ error: SettingsError) -> Bool {
        switch error.problem {
        case .missingKey(let key): removed.contains(Self.path(error.keyPath, key))
        case .wrongLength(_, _, _, unit: .entries): removed.contains { $0.hasPrefix(error.keyPath + "[") }
        case .invalid: lacksText && root.value(at: error.keyPath)?.kind != .text
        default: false
        }
    }

    /// Leaves out the value with the error.
    ///
    /// - Returns: whether it was found.
    mutating func remove(_ error: SettingsError) -> Bool {
        let path =
            if case .unknownKey(let key, _, _) = error.problem { Self.path(error.keyPath, key) } else { error.keyPath }
        guard !path.isEmpty, error.location.file == root.location.file, let smaller = root.removing(at: path) else {
            return false
        }
        if !path.contains("."), root.value(at: path)?.kind == .text { lacksText = true }
        (root, removed) = (smaller, removed.union([path]))
        return true
    }

    /// Leaves out the first entry of the outermost mapping without which the rest fulfills a condition.
    ///
    /// - Returns: whether there is one.
    mutating func removeEntry(where isBetter: (SettingsNode) -> Bool) -> Bool {
        guard case .mapping(let entries) = root.content else { return false }
        for entry in entries {
            let smaller = root.without(keys: [entry.key])
            guard isBetter(smaller) else { continue }
            (root, removed) = (smaller, removed.union([entry.value.keyPath]))
            return true
        }
        return false
    }

    private static func path(_ mapping: String, _ key: String) -> String { mapping.isEmpty ? key : "\(mapping).\(key)" }
}

extension Array {
    fileprivate func removing(at index: Int) -> [Element] {
        enumerated().filter { $0.offset != index }.map(\.element)
    }

    fileprivate func replacing(at index: Int, with element: Element) -> [Element] {
        enumerated().map { $0.offset == index ? element : $0.element }
    }
}
