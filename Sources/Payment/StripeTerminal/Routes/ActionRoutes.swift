import Determinism
import Money
import Payments
import Terminal
import Text

extension StripeRoute {
    private static let place = "/v1/terminal/readers/:id"
    private static let helper = "/v1/test_helpers/terminal/readers/:id"

    static let actions: [StripeRoute] = [
        StripeRoute("POST", place + "/process_payment_intent", ["payment_intent", "process_config"]) {
            terminal, call, id throws(StripeError) in
            let intent = try terminal.intent(
                try call.parameters.required("payment_intent"), parameter: "payment_intent")
            guard intent.state == .requiresPaymentMethod else {
                throw StripeError(
                    code: "intent_invalid_state",
                    "The payment intent has the status \(intent.state.rawValue), and can't be processed.",
                    parameter: "payment_intent", intent: intent.id)
            }
            if let other = terminal.books.reader(workingFor: intent.id), other.id != id { throw .busy(other.id) }
            let config = try config(call.parameters, asksForTips: terminal.setup.asksForTips)
            guard try terminal.prepare(id) else { return nil }
            let amount = try terminal.money(intent.amount, intent.currency)
            var details: [JSONValue.Member] = [.init("payment_intent", .text(intent.id))]
            if let config { details.append(.init("process_config", config)) }
            let key = try terminal.start(
                StripeTask(
                    reader: id, purpose: .process(intent.id),
                    asksForTip: try terminal.asksForTip(call.parameters)),
                intent.isManual ? .preauthorization(amount: amount) : .payment(amount: amount))
            return try terminal.show(
                StripeAction(type: "process_payment_intent", details: details, key: key, intent: intent.id), at: id)
        },
        StripeRoute("POST", place + "/cancel_action") { terminal, call, id throws(StripeError) in
            let reader = try terminal.reader(id)
            if call.started != nil {
                let isRunning = reader.action?.key == call.started && reader.action?.state == .inProgress
                return isRunning ? nil : reader.json
            }
            guard let action = reader.action else {
                throw StripeError(
                    status: 404, code: "resource_missing", "The reader has no action that could be canceled.")
            }
            if action.state == .inProgress, try terminal.clear(id) {
                call.started = action.key
                return nil
            }
            terminal.books.readers[id]?.action = nil
            return try terminal.reader(id).json
        },
        StripeRoute("POST", place + "/set_reader_display", ["type", "cart"]) { terminal, call, id throws(StripeError) in
            let reader = try terminal.reader(id)
            if let key = call.started {
                if case .running? = terminal.desks[id]?.status(of: key) { return nil }
                return reader.json
            }
            guard try call.parameters.word("type", ["cart"]) != nil else { throw .missing("type") }
            guard let cart = try call.parameters.map("cart") else { throw .missing("cart") }
            let (lines, json) = try terminal.cart(cart)
            guard try terminal.prepare(id) else { return nil }
            let key = try terminal.start(StripeTask(reader: id, purpose: .display), .display(lines))
            call.started = key
            _ = try terminal.show(
                StripeAction(
                    type: "set_reader_display", details: [.init("cart", json), .init("type", "cart")], key: key),
                at: id)
            return nil
        },
        StripeRoute(
            "POST", place + "/refund_payment",
            ["payment_intent", "charge", "amount", "metadata", "reason", "refund_payment_config"]
        ) { terminal, call, id throws(StripeError) in
            if let key = call.started {
                if case .running? = terminal.desks[id]?.status(of: key) { return nil }
                return try terminal.reader(id).json
            }
            _ = try terminal.reader(id)
            if let config = try call.parameters.map("refund_payment_config") {
                try config.check(only: ["enable_customer_cancellation"])
                _ = try config.flag("enable_customer_cancellation")
            }
            let charge = try terminal.refundedCharge(call.parameters)
            guard charge.reader == id else {
                throw StripeError(
                    code: nil, "The payment was taken at another reader: refund it there.", parameter: "payment_intent")
            }
            guard try terminal.prepare(id), terminal.desks[id]?.isOfficeBusy == false else { return nil }
            let refund = try terminal.refund(charge, call.parameters)
            let key = try terminal.start(
                StripeTask(reader: id, purpose: .refund(refund.id)),
                .giveBack(of: .request(charge.key), amount: try terminal.money(refund.amount, refund.currency)))
            call.started = key
            terminal.books.refunds[refund.id] = refund
            _ = try terminal.show(
                StripeAction(
                    type: "refund_payment",
                    details: [
                        .init("amount", JSONValue(refund.amount)), .init("charge", .text(charge.id)),
                        .init("metadata", .object(refund.metadata)), .init("payment_intent", .text(charge.intent)),
                        .init("reason", JSONValue(refund.reason)), .init("refund", .text(refund.id)),
                    ], key: key), at: id)
            return nil
        },
        StripeRoute("POST", helper + "/present_payment_method", ["type", "card_present", "amount_tip"]) {
            terminal, call, id throws(StripeError) in
            let reader = try terminal.reader(id)
            if let key = call.started {
                if case .running(let progress)? = terminal.desks[id]?.status(of: key), progress != .recovering {
                    return nil
                }
                return reader.json
            }
            _ = try call.parameters.word("type", ["card_present"])
            let card = try card(call.parameters)
            guard let key = terminal.desks[id]?.running, case .process? = terminal.tasks[key]?.purpose,
                case .running(let progress)? = terminal.desks[id]?.status(of: key), progress.awaitsCard
            else {
                throw StripeError(
                    code: nil, "The reader does not wait for a card: call process_payment_intent first.")
            }
            try terminal.addTip(call.parameters, key, at: id)
            call.started = key
            terminal.work(.present(card, key, reader: id))
            return nil
        },
    ]

    private static func config(
        _ parameters: StripeParameters, asksForTips: Bool
    ) throws(StripeError) -> JSONValue? {
        guard let config = try parameters.map("process_config") else { return nil }
        // Redirects are not there, and refused.
        try config.check(only: ["enable_customer_cancellation", "skip_tipping", "allow_redisplay", "tipping"])
        var members: [JSONValue.Member] = []
        for name in ["enable_customer_cancellation", "skip_tipping"] {
            if let flag = try config.flag(name) { members.append(.init(name, .bool(flag))) }
        }
        if let tipping = try config.map("tipping") {
            guard asksForTips else { throw .noTips }
            try tipping.check(only: ["amount_eligible"])
            let eligible = try tipping.amount("amount_eligible")
            members.append(.init("tipping", ["amount_eligible": JSONValue(eligible)]))
        }
        return .object(members)
    }

    private static func card(_ parameters: StripeParameters) throws(StripeError) -> StripeTestCard {
        guard let number = try parameters.map("card_present")?.text("number") else { return .standard }
        guard let card = StripeTestCard.numbered(number) else {
            throw .invalid(
                "card_present[number]",
                "This is not a test card of a simulated reader: use one of those in docs/tills.md, or none for "
                    + "4242424242424242.")
        }
        return card
    }
}

extension TerminalProgress {
    fileprivate var awaitsCard: Bool { self == .accepted || self == .waitingForCard }
}

extension StripeTerminal {
    /// Makes a reader ready for an action: it must be reachable, and what waits for a card there is ended.
    ///
    /// - Returns: false when the call has to wait for that.
    mutating func prepare(_ id: String) throws(StripeError) -> Bool {
        guard try reader(id).isOnline else { throw .offline(id) }
        if takeFault(.readerTimeout, id) { throw .timeout }
        return try !clear(id)
    }

    /// Whether a reader asks for a tip before the card of a payment.
    fileprivate func asksForTip(_ parameters: StripeParameters) throws(StripeError) -> Bool {
        guard setup.asksForTips else { return false }
        return try parameters.map("process_config")?.flag("skip_tipping") != true
    }

    /// Adds the tip of a call to a payment that waits for a card.
    fileprivate mutating func addTip(
        _ parameters: StripeParameters, _ key: IdempotencyKey, at reader: String
    ) throws(StripeError) {
        let name = "amount_tip"
        guard let tip = try parameters.integer(name, in: 0...99_999_999), tip > 0, let task = tasks[key],
            case .process(let id) = task.purpose, let intent = books.intents[id]
        else { return }
        guard task.asksForTip else {
            throw StripeError(code: nil, "The reader does not ask for a tip.", parameter: name)
        }
        guard intent.amount + tip <= 99_999_999 else {
            throw StripeError(
                code: "amount_too_large", "Amount and tip must be no more than 99999999.", parameter: name)
        }
        let money = try money(tip, intent.currency)
        tasks[key]?.tip = tip
        work(.tip(money, key, reader: reader))
    }

    /// Shows an action at a reader, and returns the reader.
    mutating func show(_ action: StripeAction, at id: String) throws(StripeError) -> JSONValue {
        books.readers[id]?.action = action
        books.readers[id]?.seen = now.milliseconds
        if takeFault(.readerTimeoutReceived, id) { throw .timeout }
        return try reader(id).json
    }

    func money(_ amount: Int64, _ currency: String) throws(StripeError) -> Money {
        do throws(MoneyError) {
            return try Money(minorUnits: amount, currency: Currency(code: currency.uppercased()))
        } catch {
            throw .invalid("amount", "\(error)")
        }
    }

    /// The lines of a cart for the display, and its object.
    fileprivate func cart(_ cart: StripeParameters) throws(StripeError) -> ([String], JSONValue) {
        try cart.check(only: ["currency", "total", "tax", "line_items"])
        let currency = try cart.currency("currency")
        let range: ClosedRange<Int64> = 0...99_999_999
        guard let total = try cart.integer("total", in: range) else { throw .missing("cart[total]") }
        let tax = try cart.integer("tax", in: range)
        var (lines, items): ([String], [JSONValue]) = ([], [])
        for item in try cart.maps("line_items") ?? [] {
            try item.check(only: ["amount", "description", "quantity"])
            guard let amount = try item.integer("amount", in: range) else { throw .missing("cart[line_items][amount]") }
            let description = try item.required("description")
            guard let quantity = try item.integer("quantity", in: 0...1_000_000) else {
                throw .missing("cart[line_items][quantity]")
            }
            lines.append("\(quantity) \(description) \(try money(amount, currency.code).decimalText)")
            items.append([
                "amount": JSONValue(amount), "description": .text(description), "quantity": JSONValue(quantity),
            ])
        }
        if let tax { lines.append("Tax \(try money(tax, currency.code).decimalText)") }
        lines.append("Total \(try money(total, currency.code))")
        return (
            lines,
            [
                "currency": .text(currency.code.lowercased()), "line_items": .list(items), "tax": JSONValue(tax),
                "total": JSONValue(total),
            ]
        )
    }
}
