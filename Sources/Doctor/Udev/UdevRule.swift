/// A rule as udevd reads it: conditions and assignments on one line (udev(7), "Rules files").
struct UdevRule: Hashable, Sendable {
    struct Token: Hashable, Sendable {
        /// For example `ATTR`.
        var key: String
        /// What stands in braces behind the key; nil when nothing does.
        var attribute: String?
        /// `==`, `!=`, `=`, `+=`, `-=` or `:=`.
        var operation: String
        /// Without the quotation marks, and with its escapes as they are written.
        var value: String

        /// Whether it is compared with, and not assigned.
        var isCondition: Bool { operation == "==" || operation == "!=" }
    }

    /// The line on which it begins, from 1.
    var line: Int
    var tokens: [Token]

    /// What a key must be equal to; nil when the rule does not say.
    func required(_ key: String, _ attribute: String? = nil) -> String? {
        tokens.first { $0.operation == "==" && $0.key == key && $0.attribute == attribute }?.value
    }

    /// What a key is set to, for good or until a later rule; nil when the rule does not set it.
    func assigned(_ key: String, _ attribute: String? = nil) -> String? {
        tokens.last { ["=", ":="].contains($0.operation) && $0.key == key && $0.attribute == attribute }?.value
    }
}
