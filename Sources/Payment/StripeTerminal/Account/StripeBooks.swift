import Text

/// All objects of the account.
struct StripeBooks: Sendable {
    var locations = StripeShelf<StripeLocation>()
    var readers = StripeShelf<StripeReader>()
    var intents = StripeShelf<StripeIntent>()
    var charges = StripeShelf<StripeCharge>()
    var refunds = StripeShelf<StripeRefund>()
    var events = StripeShelf<StripeEvent>()
    var endpoints = StripeShelf<StripeWebhookEndpoint>()

    /// Events are kept for a look back; at least so many, the newest of them.
    static let mostEvents = 2000
    /// Payment intents, charges, and refunds are kept likewise.
    static let mostPayments = 5000

    /// Forgets what is older. An amount that is held stays, so that it can be captured, and so does a payment that is
    /// under way.
    mutating func keepNewest() {
        events.keep(atMost: Self.mostEvents)
        intents.keep(atMost: Self.mostPayments) { [readers] intent in
            intent.state == .requiresCapture || intent.state == .processing
                || readers.all.contains { $0.action?.intent == intent.id && $0.action?.state == .inProgress }
        }
        charges.keep(atMost: Self.mostPayments) { [intents] in intents[$0.intent]?.state == .requiresCapture }
        refunds.keep(atMost: Self.mostPayments) { $0.status == "pending" }
    }

    /// The object with an ID, as an expansion shows it; nil for what can't be expanded.
    func json(of id: String) -> JSONValue? {
        switch id.prefix(while: { $0 != "_" }) {
        case "tml": locations[id]?.json
        case "tmr": readers[id]?.json
        case "pi": intents[id]?.json
        case "ch": charges[id].map { json(of: $0) }
        case "re": refunds[id]?.json
        default: nil
        }
    }

    /// A charge with its refunds.
    func json(of charge: StripeCharge) -> JSONValue {
        charge.json(refunds: charge.refunded > 0 ? refunds(of: charge.id).map(\.json) : [])
    }

    func refunds(of charge: String) -> [StripeRefund] { refunds.all.filter { $0.charge == charge } }

    /// What can still be refunded, without refunds that are under way.
    func refundable(_ charge: StripeCharge) -> Int64 {
        let pending = refunds(of: charge.id).filter { $0.status == "pending" }.reduce(0) { $0 + $1.amount }
        return max(0, charge.refundable - pending)
    }

    /// The reader that works for a payment now.
    func reader(workingFor intent: String) -> StripeReader? {
        readers.all.first { $0.action?.intent == intent && $0.action?.state == .inProgress }
    }
}
