import Terminal
import Text

extension StripeRoute {
    static let charges: [StripeRoute] = [
        StripeRoute("GET", "/v1/charges", StripePage.names("created", "payment_intent")) {
            terminal, call, _ throws(StripeError) in
            let time = try StripeTimeFilter(call.parameters)
            let intent = try call.parameters.text("payment_intent")
            let charges = terminal.books.charges.all.filter {
                time.takes($0.created) && (intent == nil || $0.intent == intent)
            }
            let books = terminal.books
            return try StripePage.json(charges, call.request.path, call.parameters) { books.json(of: $0) }
        },
        StripeRoute("GET", "/v1/charges/:id") { terminal, _, id throws(StripeError) in
            terminal.books.json(of: try terminal.charge(id))
        },
        StripeRoute("GET", "/v1/charges/:id/refunds", StripePage.names()) { terminal, call, id throws(StripeError) in
            let refunds = terminal.books.refunds(of: try terminal.charge(id).id)
            return try StripePage.json(refunds, call.request.path, call.parameters, \.json)
        },
    ]

    static let refunds: [StripeRoute] = [
        StripeRoute("POST", "/v1/refunds", ["payment_intent", "charge", "amount", "reason", "metadata"]) {
            terminal, call, _ throws(StripeError) in
            if let key = call.started {
                guard let task = terminal.tasks[key], case .refund(let id) = task.purpose,
                    let refund = terminal.books.refunds[id], refund.status != "pending"
                else { return nil }
                return refund.json
            }
            let charge = try terminal.refundedCharge(call.parameters)
            let refund = try terminal.refund(charge, call.parameters)
            _ = try terminal.office(
                &call, charge.reader,
                .giveBack(of: .request(charge.key), amount: try terminal.money(refund.amount, refund.currency))
            ) { .refund(refund.id) }
            if call.started != nil { terminal.books.refunds[refund.id] = refund }
            return nil
        },
        StripeRoute("GET", "/v1/refunds", StripePage.names("created", "payment_intent", "charge")) {
            terminal, call, _ throws(StripeError) in
            let parameters = call.parameters
            let time = try StripeTimeFilter(parameters)
            let (intent, charge) = (try parameters.text("payment_intent"), try parameters.text("charge"))
            let refunds = terminal.books.refunds.all.filter {
                time.takes($0.created) && (intent == nil || $0.intent == intent)
                    && (charge == nil || $0.charge == charge)
            }
            return try StripePage.json(refunds, call.request.path, parameters, \.json)
        },
        StripeRoute("GET", "/v1/refunds/:id") { terminal, _, id throws(StripeError) in
            guard let refund = terminal.books.refunds[id] else { throw .noSuch("refund", id) }
            return refund.json
        },
        StripeRoute("POST", "/v1/refunds/:id", ["metadata"]) { terminal, call, id throws(StripeError) in
            guard var refund = terminal.books.refunds[id] else { throw .noSuch("refund", id) }
            refund.metadata = try call.parameters.metadata(over: refund.metadata)
            terminal.books.refunds[id] = refund
            return refund.json
        },
    ]
}

extension StripeTerminal {
    /// The charge that a call refunds.
    func refundedCharge(_ parameters: StripeParameters) throws(StripeError) -> StripeCharge {
        let (intent, charge) = (try parameters.text("payment_intent"), try parameters.text("charge"))
        guard intent == nil || charge == nil else {
            throw StripeError(
                code: "parameters_exclusive", "Give either payment_intent or charge.", parameter: "charge",
                isStored: false)
        }
        if let charge { return try self.charge(charge, parameter: "charge") }
        guard let intent else { throw .missing("payment_intent") }
        let refunded = try self.intent(intent, parameter: "payment_intent")
        guard refunded.state == .succeeded, let id = refunded.charge else {
            throw StripeError(
                code: "charge_not_refundable", "The payment intent has no successful charge to refund.",
                parameter: "payment_intent", intent: intent)
        }
        return try self.charge(id)
    }

    /// The refund that a call asks for. It is not recorded yet.
    func refund(_ charge: StripeCharge, _ parameters: StripeParameters) throws(StripeError) -> StripeRefund {
        guard charge.isPaid, charge.captured != nil else {
            throw StripeError(
                code: "charge_not_refundable", "The charge \(charge.id) was not captured, so it can't be refunded.")
        }
        let rest = books.refundable(charge)
        guard rest > 0 else {
            throw StripeError(code: "charge_already_refunded", "Charge \(charge.id) has already been refunded.")
        }
        let amount = try parameters.amount("amount") ?? rest
        guard amount <= rest else {
            throw StripeError(
                code: nil, "Refund amount (\(amount)) is greater than unrefunded amount on charge (\(rest)).",
                parameter: "amount")
        }
        return StripeRefund(
            id: names.next("re_"), charge: charge.id, intent: charge.intent, amount: amount, currency: charge.currency,
            created: seconds,
            reason: try parameters.word("reason", ["duplicate", "fraudulent", "requested_by_customer"]),
            metadata: try parameters.metadata())
    }
}
