internal import SettingsFile

/// Values by name, and what they are filled into: `${name}`.
struct Variables {
    private var values: [String: SettingsNode] = [:]

    /// How deep the values of variables may be made of others.
    private static let deepest = 8

    subscript(name: String) -> SettingsNode? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The value with every variable filled in. A text that is nothing but a variable becomes its whole value, also a list
    /// or a mapping.
    func filled(
        into node: SettingsNode, depth: Int = Self.deepest, problems: inout ProblemList
    ) -> SettingsNode {
        var found = ProblemList()
        let filled = node.replacingTexts { node in
            let text = (try? node.text(length: 0...Int.max)) ?? ""
            guard text.contains("${") else { return node }
            guard depth > 0 else {
                found.add(node.error("variables are made of each other without an end"))
                return node
            }
            do throws(SettingsError) {
                return try self.filled(into: node, text, depth: depth, problems: &found)
            } catch {
                found.add(error)
                return node
            }
        }
        problems.add(found)
        return filled
    }

    private func filled(
        into node: SettingsNode, _ text: String, depth: Int, problems: inout ProblemList
    ) throws(SettingsError) -> SettingsNode {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw node.error("'${' is not closed", fix: "write ${name}")
            }
            let value = try value(of: String(rest[start.upperBound..<end]), at: node)
            let whole = filled(into: value, depth: depth - 1, problems: &problems)
            if start.lowerBound == text.startIndex, text.index(after: end) == text.endIndex {
                return whole
            }
            guard whole.kind == .text else {
                throw node.error("only text can stand in the middle of text")
            }
            result += rest[..<start.lowerBound] + (try whole.text(length: 0...4096))
            rest = rest[text.index(after: end)...]
        }
        return node.withText(result + rest)
    }

    private func value(of name: String, at node: SettingsNode) throws(SettingsError) -> SettingsNode {
        guard let value = values[name] else {
            let nearest = NearestName.to(name, among: values.keys.sorted())
            throw node.error(
                "there is no variable '\(name.prefix(40))'",
                fix: nearest.map { "did you mean '\($0)'?" } ?? "name it under 'variables', 'matrix' or 'cases'")
        }
        return value
    }
}
