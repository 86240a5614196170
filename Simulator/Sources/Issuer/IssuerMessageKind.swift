/// A kind of message to the issuer.
public enum IssuerMessageKind: String, Hashable, Sendable, CaseIterable, Codable {
    case authorize, reverse, advise, inquire, refund
}
