public import Determinism
public import Payments
public import Terminal

// What became of payments by changes that no till of this protocol asked for: by the clerk's own commands, and by tills
// of other protocols. The journal knows them.
extension StripeTerminal {
    /// The payments that the account has, by the requests that took them.
    public var payments: [IdempotencyKey] { books.charges.all.filter(\.isPaid).map(\.key) }

    /// Returns the payment that a request with a right secret key is about, by the request that took it. Nil for other
    /// requests, and while one changes it.
    public func payment(of request: StripeRequest) -> IdempotencyKey? {
        var call = StripeCall(number: 0, id: "", request: request)
        guard (try? call.authenticate(setup.access)) != nil, (try? call.readParameters()) != nil else { return nil }
        let path = request.path.split(separator: "/").map(String.init)
        var id = path.count > 2 ? path[2] : ""
        if path.count < 2 || path[1] != "payment_intents" && path[1] != "charges" {
            let named = ["payment_intent", "charge"].compactMap { (try? call.parameters.text($0)) ?? nil }
            id = named.first ?? ""
        }
        guard let charge = books.charges[id] ?? books.intents[id]?.charge.flatMap({ books.charges[$0] }),
            charge.isPaid, desks[charge.reader]?.isOfficeBusy == false
        else { return nil }
        return charge.key
    }

    /// Returns the payment that a request of the terminal captures, releases, or refunds; nil for other requests.
    public func payment(changedBy key: IdempotencyKey) -> IdempotencyKey? {
        switch tasks[key]?.purpose {
        case .capture(let intent, _), .release(let intent):
            books.intents[intent]?.charge.flatMap { books.charges[$0]?.key }
        case .refund(let refund): books.refunds[refund].flatMap { books.charges[$0.charge]?.key }
        case .process, .display, .input, nil: nil
        }
    }

    /// Sets the payment intent and the charge of a payment to what the journal has.
    ///
    /// - Parameters:
    ///   - key: the request that took the payment.
    ///   - standing: what became of it.
    ///   - isNews: whether events tell what changed. After a restart, an earlier start may have told it.
    ///   - now: the time.
    public mutating func correct(
        _ key: IdempotencyKey, by standing: TerminalStanding, isNews: Bool, at now: Timestamp
    ) {
        guard let old = books.charges.all.last(where: { $0.key == key }), old.isPaid,
            var intent = books.intents[old.intent], intent.charge == old.id
        else { return }
        self.now = max(self.now, now)
        var charge = old
        switch standing {
        case .held: return
        case .charged(let amount, let refunded):
            (charge.captured, charge.refunded) = (amount, max(0, charge.amount - amount) + refunded)
            (intent.state, intent.received) = (.succeeded, amount)
        case .released:
            charge.refunded = charge.amount
            if charge.captured == nil {
                (intent.state, intent.canceled) = (.canceled, intent.canceled ?? seconds)
            }
        }
        guard charge != old || intent != books.intents[intent.id] else { return }
        (books.charges[charge.id], books.intents[intent.id]) = (charge, intent)
        guard isNews else { return }
        if old.captured == nil, charge.captured != nil {
            emit("charge.captured", books.json(of: charge))
            emit("payment_intent.succeeded", intent.json)
        }
        if charge.refunded != old.refunded { emit("charge.refunded", books.json(of: charge)) }
        if intent.state == .canceled { emit("payment_intent.canceled", intent.json) }
    }
}
