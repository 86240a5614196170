internal import SettingsFile

/// A rule of the simulated issuer: when it holds, and what the issuer does then.
struct IssuerRule: Hashable, Sendable {
    /// What the book names the rule by.
    let name: String
    let condition: IssuerRuleCondition
    let answer: IssuerRuleAnswer
    /// How many messages of a book it holds for; nil for all.
    let times: Int64?

    /// Reads an entry of `rules`; `number` counts from 1 and makes the name of a rule without one.
    init(_ node: SettingsNode, number: Int) throws(SettingsError) {
        try node.mapping(allowedKeys: ["name", "when", "answer", "times"])
        name = try node.optional("name")?.text(length: 1...60) ?? "rule \(number)"
        condition = try IssuerRuleCondition(try node.optional("when"))
        answer = try IssuerRuleAnswer(try node.required("answer"), messages: condition.messages)
        times = try node.optional("times").map { (node) throws(SettingsError) in
            Int64(try node.int(in: 1...1_000_000_000))
        }
    }
}
