extension SettingsLocation {
    /// Of a value that no file has yet.
    public static let nowhere = SettingsLocation(file: "", line: 1, column: 1)
}

extension SettingsNode {
    /// A text that is to be written into a file. What it is taken for is up to its reader, as in a file: `true` for a
    /// truth value, `12` for a number. An empty one is a text too.
    public static func text(_ text: String) -> SettingsNode {
        let plain = SettingsNode(.nowhere, "", .text(text, isPlain: true))
        return plain.isNothing ? SettingsNode(.nowhere, "", .text(text, isPlain: false)) : plain
    }

    /// A list that is to be written into a file.
    public static func list(_ nodes: [SettingsNode]) -> SettingsNode { SettingsNode(.nowhere, "", .list(nodes)) }

    /// A mapping that is to be written into a file, its keys in this order. No key may be there twice.
    public static func mapping(_ entries: [(key: String, value: SettingsNode)]) -> SettingsNode {
        SettingsNode(
            .nowhere, "",
            .mapping(entries.map { SettingsEntry(key: $0.key, location: .nowhere, value: $0.value) }))
    }
}
