/// How much a rule wants something.
public enum ReceiptDemand: String, Hashable, Sendable, Codable {
    case required
    /// Good to have; a receipt without it is none the worse.
    case recommended
    case forbidden
}
