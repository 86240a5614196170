internal import SettingsFile

/// What a number has to be for a rule to hold. Everything that is given must hold.
struct NumberCondition: Hashable, Sendable {
    var equals: Int64?
    var atLeast: Int64?
    var atMost: Int64?
    /// More than zero.
    var multipleOf: Int64?

    func holds(for number: Int64) -> Bool {
        if let equals, number != equals { return false }
        if let atLeast, number < atLeast { return false }
        if let atMost, number > atMost { return false }
        if let multipleOf, multipleOf == 0 || number % multipleOf != 0 { return false }
        return true
    }
}

extension NumberCondition {
    /// Reads a number, which stands for itself, or a mapping of bounds. `read` takes one number.
    init(_ node: SettingsNode, _ read: (SettingsNode) throws(SettingsError) -> Int64) throws(SettingsError) {
        guard node.kind == .mapping else {
            self.init(equals: try read(node))
            return
        }
        try node.mapping(allowedKeys: ["equals", "atLeast", "atMost", "multipleOf"])
        func bound(_ key: String) throws(SettingsError) -> Int64? {
            guard let value = try node.optional(key) else { return nil }
            return try read(value)
        }
        self.init(
            equals: try bound("equals"), atLeast: try bound("atLeast"), atMost: try bound("atMost"),
            multipleOf: try bound("multipleOf"))
        if let multipleOf, multipleOf <= 0 {
            throw try node.required("multipleOf").error("only multiples of more than zero can be found")
        }
        guard self != NumberCondition() else { throw node.error("nothing is asked of the number") }
        if let atLeast, let atMost, atLeast > atMost {
            throw node.error("no number is at least \(atLeast) and at most \(atMost)")
        }
    }

    /// Reads whole numbers within a range.
    init(_ node: SettingsNode, in range: ClosedRange<Int>) throws(SettingsError) {
        try self.init(node) { (value) throws(SettingsError) in Int64(try value.int(in: range)) }
    }
}
