internal import SettingsFile

/// Makes of one file the cases of its matrix.
struct CaseExpansion {
    /// What one case is called, and what its variables are.
    struct Case {
        /// Nil where the file has a single case.
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
        guard !axis.values.isEmpty else { throw node.error("there is no case") }
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
        guard !axis.values.isEmpty else { throw entry.value.error("there is no value") }
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
