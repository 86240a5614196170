import Settings

/// Expands the matrix of a file into its cases.
struct CaseExpansion {
    /// A case: its label and its variables.
    struct Case {
        /// Nil for a file with a single case.
        var label: String?
        var variables: Variables
    }

    private struct Axis {
        var values: [(label: String, variables: [(name: String, value: SettingsNode)])]
    }

    private static let most = 1000

    private(set) var cases: [Case] = []
    private(set) var problems = ProblemList()

    init(_ root: SettingsNode) {
        do throws(SettingsError) { try expand(root) } catch { problems.add(error) }
    }

    private mutating func expand(_ root: SettingsNode) throws(SettingsError) {
        var variables = Variables()
        for entry in try root.optional("variables")?.entries() ?? [] {
            try Self.checkName(entry)
            variables[entry.key] = entry.value
        }
        var axes: [Axis] = []
        if let rows = try root.optional("cases") { axes.append(try Self.rows(rows)) }
        for entry in try root.optional("matrix")?.entries() ?? [] { axes.append(try Self.axis(entry)) }
        let count = axes.reduce(1) { product, axis in
            let (count, isTooLarge) = product.multipliedReportingOverflow(by: axis.values.count)
            return isTooLarge ? .max : count
        }
        guard count <= Self.most else {
            throw (try root.optional("matrix") ?? root).error(
                "the matrix makes \(count) cases", fix: "at most \(Self.most) can be in one file")
        }
        cases = [Case(label: nil, variables: variables)]
        for axis in axes {
            cases = cases.flatMap { made in
                axis.values.map { value in
                    var next = made
                    next.label = made.label.map { $0 + "," + value.label } ?? value.label
                    for (name, value) in value.variables { next.variables[name] = value }
                    return next
                }
            }
        }
    }

    private static func rows(_ node: SettingsNode) throws(SettingsError) -> Axis {
        var axis = Axis(values: [])
        for row in try node.entries() {
            var variables: [(name: String, value: SettingsNode)] = []
            for entry in try row.value.entries() {
                try checkName(entry)
                variables.append((entry.key, entry.value))
            }
            axis.values.append((row.key, variables))
        }
        guard !axis.values.isEmpty else { throw node.error("give at least one case") }
        return axis
    }

    private static func axis(_ entry: SettingsEntry) throws(SettingsError) -> Axis {
        try checkName(entry)
        var axis = Axis(values: [])
        if entry.value.kind == .mapping {
            for named in try entry.value.entries() {
                axis.values.append(("\(entry.key)=\(named.key)", [(entry.key, named.value)]))
            }
        } else {
            for (index, value) in try entry.value.list(count: 1...100).enumerated() {
                let text = value.kind == .text ? try value.text(length: 1...4096) : String(index + 1)
                let label = text.count <= 40 ? text : String(index + 1)
                axis.values.append(("\(entry.key)=\(label)", [(entry.key, value)]))
            }
        }
        guard !axis.values.isEmpty else { throw entry.value.error("give at least one value") }
        return axis
    }

    private static func checkName(_ entry: SettingsEntry) throws(SettingsError) {
        let isName = entry.key.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): index > 0
            default: false
            }
        }
        guard isName, (1...40).contains(entry.key.utf8.count) else {
            throw SettingsError(
                location: entry.location, keyPath: entry.value.keyPath,
                problem: .invalid(
                    message: "not the name of a variable", fix: "use letters, digits, '-' and '_', a letter first"))
        }
    }
}

/// Variables by name, and their substitution for `${name}`.
struct Variables {
    private var values: [String: SettingsNode] = [:]

    /// How deeply variables may refer to each other.
    private static let deepest = 8

    subscript(name: String) -> SettingsNode? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Returns the node with all variables replaced. Text that is only one variable becomes that variable's value,
    /// which may be a list or a mapping.
    func filled(
        into node: SettingsNode, depth: Int = Self.deepest, problems: inout ProblemList
    ) -> SettingsNode {
        var found = ProblemList()
        let filled = node.replacingTexts { node in
            let text = (try? node.text(length: 0...Int.max)) ?? ""
            guard text.contains("${") else { return node }
            guard depth > 0 else {
                found.add(node.error("variables refer to each other in a cycle"))
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
                throw node.error("only a text can be inserted into text")
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
