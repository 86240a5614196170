/// Why there is no payment gateway of a store site to work with.
public enum GatewayProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store has no account with a gateway that takes card-present payments.
    case noAccount(siteID: Int64)
    /// The store has accounts with several, and nobody chose.
    case notChosen([String])
    /// The gateway does not let the account take payments.
    case rejected(gateway: String, status: String)
    /// This gateway does not have what is asked for.
    case notOffered(gateway: String, what: String)

    public var description: String {
        switch self {
        case .noAccount:
            "the store has no account with WooPayments or the Stripe extension: set one up in the store's own pages"
        case .notChosen(let gateways):
            "the store has several payment gateways: choose one of \(gateways.joined(separator: ", "))"
        case .rejected(let gateway, let status):
            "\(gateway) does not take payments for this store: its account is \(status)"
        case .notOffered(let gateway, let what): "\(gateway) has no \(what)"
        }
    }
}
