import Money
import Terminal
import Text

extension StripeRoute {
    private static let place = "/v1/payment_intents"

    static let intents: [StripeRoute] = [
        StripeRoute(
            "POST", place,
            [
                "amount", "currency", "payment_method_types", "capture_method", "customer", "metadata",
                "payment_method_options", "confirm",
            ] + StripeIntent.texts
        ) { terminal, call, _ throws(StripeError) in
            let parameters = call.parameters
            guard let amount = try parameters.amount("amount") else { throw .missing("amount") }
            let currency = try parameters.currency("currency")
            let types = try parameters.texts("payment_method_types") ?? ["card_present"]
            guard types == ["card_present"] else {
                throw .invalid("payment_method_types", "Only card_present payments are taken here.")
            }
            guard try parameters.flag("confirm") != true else {
                throw .invalid("confirm", "A reader confirms the payment: create it, and call process_payment_intent.")
            }
            let method = try parameters.word("capture_method", ["automatic", "automatic_async", "manual"])
            let id = terminal.names.next("pi_")
            var intent = StripeIntent(
                id: id, clientSecret: terminal.names.next("\(id)_secret_"), created: terminal.seconds,
                currency: currency.code.lowercased(), amount: amount,
                isAlwaysManual: method == "manual", cardCaptureMethod: try cardCaptureMethod(parameters),
                customer: try parameters.text("customer"), metadata: try parameters.metadata())
            try intent.read(parameters)
            terminal.books.intents[id] = intent
            terminal.emit("payment_intent.created", intent.json)
            return intent.json
        },
        StripeRoute("GET", place, StripePage.names("created", "customer")) { terminal, call, _ throws(StripeError) in
            let time = try StripeTimeFilter(call.parameters)
            let customer = try call.parameters.text("customer")
            let intents = terminal.books.intents.all.filter {
                time.takes($0.created) && (customer == nil || $0.customer == customer)
            }
            return try StripePage.json(intents, call.request.path, call.parameters, \.json)
        },
        StripeRoute("GET", place + "/:id", ["client_secret"]) { terminal, _, id throws(StripeError) in
            try terminal.intent(id).json
        },
        StripeRoute("POST", place + "/:id", ["amount", "metadata", "customer"] + StripeIntent.texts) {
            terminal, call, id throws(StripeError) in
            var intent = try terminal.intent(id)
            let parameters = call.parameters
            if let amount = try parameters.amount("amount"), amount != intent.amount {
                guard intent.state == .requiresPaymentMethod, terminal.books.reader(workingFor: id) == nil else {
                    throw unexpected(intent, "updated: its amount is at a reader, or charged")
                }
                intent.amount = amount
            }
            if parameters.has("customer") { intent.customer = try parameters.text("customer") }
            intent.metadata = try parameters.metadata(over: intent.metadata)
            try intent.read(parameters)
            terminal.books.intents[id] = intent
            return intent.json
        },
        StripeRoute("POST", place + "/:id/confirm", ["payment_method", "return_url", "off_session"]) {
            terminal, _, id throws(StripeError) in
            let intent = try terminal.intent(id)
            throw unexpected(intent, "confirmed with the API: a reader confirms it (process_payment_intent)")
        },
        StripeRoute("POST", place + "/:id/capture", ["amount_to_capture", "final_capture", "metadata"]) {
            terminal, call, id throws(StripeError) in try capture(&terminal, &call, id)
        },
        StripeRoute("POST", place + "/:id/cancel", ["cancellation_reason"]) {
            terminal, call, id throws(StripeError) in try cancel(&terminal, &call, id)
        },
    ]

    /// Reads the options of card_present. Those that would change the payment and can't be done are refused.
    private static func cardCaptureMethod(_ parameters: StripeParameters) throws(StripeError) -> String? {
        guard let options = try parameters.map("payment_method_options") else { return nil }
        try options.check(only: ["card_present"])
        guard let card = try options.map("card_present") else { return nil }
        let requests = ["request_extended_authorization", "request_incremental_authorization_support"]
        try card.check(only: ["capture_method"] + requests)
        for name in requests where try card.flag(name) == true {
            throw .invalid(card.path(name), "This terminal does not support it: leave it out, or send false.")
        }
        return try card.word("capture_method", ["manual", "manual_preferred"])
    }

    private static func unexpected(_ intent: StripeIntent, _ words: String) -> StripeError {
        StripeError(
            code: "payment_intent_unexpected_state",
            "This payment intent has the status \(intent.state.rawValue), and can't be \(words).", intent: intent.id)
    }

    private static func capture(
        _ terminal: inout StripeTerminal, _ call: inout StripeCall, _ id: String
    ) throws(StripeError) -> JSONValue? {
        guard try call.parameters.flag("final_capture") != false else {
            throw .invalid(
                "final_capture", "This payment intent can't be captured more than once: leave final_capture out.")
        }
        var intent = try terminal.intent(id)
        guard let charge = intent.charge.flatMap({ terminal.books.charges[$0] }),
            call.started != nil || intent.state == .requiresCapture
        else { throw unexpected(intent, "captured") }
        let amount = try call.parameters.amount("amount_to_capture") ?? charge.amount
        guard amount <= charge.amount else {
            throw StripeError(
                code: "amount_too_large", "The amount is greater than what can be captured, \(charge.amount).",
                parameter: "amount_to_capture", intent: id)
        }
        if call.started == nil { intent.metadata = try call.parameters.metadata(over: intent.metadata) }
        let part = try terminal.money(amount, intent.currency)
        let outcome = try terminal.office(
            &call, charge.reader,
            .capture(of: .request(charge.key), amount == charge.amount ? .all : .part(part))
        ) { .capture(id, amount: amount) }
        guard let outcome else {
            terminal.books.intents[id]?.metadata = intent.metadata
            return nil
        }
        intent = try terminal.intent(id)
        guard outcome.transaction != nil else {
            // Somebody else has captured or released it.
            throw intent.state == .requiresCapture ? notDone(intent.id) : unexpected(intent, "captured")
        }
        return intent.json
    }

    private static func cancel(
        _ terminal: inout StripeTerminal, _ call: inout StripeCall, _ id: String
    ) throws(StripeError) -> JSONValue? {
        let reason = try call.parameters.word(
            "cancellation_reason", ["duplicate", "fraudulent", "requested_by_customer", "abandoned"])
        let intent = try terminal.intent(id)
        switch intent.state {
        case .requiresPaymentMethod:
            // A reader that waits for its card gives up first.
            if let reader = terminal.books.reader(workingFor: id), try terminal.clear(reader.id) { return nil }
        case .requiresCapture:
            guard let charge = intent.charge.flatMap({ terminal.books.charges[$0] }) else { throw notDone(id) }
            let outcome = try terminal.office(&call, charge.reader, .release(of: .request(charge.key))) {
                .release(id)
            }
            guard let outcome else { return nil }
            guard outcome.transaction != nil else {
                let intent = try terminal.intent(id)
                throw intent.state == .requiresCapture ? notDone(id) : unexpected(intent, "canceled")
            }
        case .processing, .succeeded, .canceled: throw unexpected(intent, "canceled")
        }
        var canceled = try terminal.intent(id)
        (canceled.state, canceled.canceled) = (.canceled, terminal.seconds)
        canceled.cancellationReason = reason
        terminal.books.intents[id] = canceled
        terminal.emit("payment_intent.canceled", canceled.json)
        return canceled.json
    }

    /// The host did not take it, and nothing changed.
    private static func notDone(_ intent: String) -> StripeError {
        StripeError(
            code: "processing_error", "The host did not take this, and nothing changed. Try again later.",
            intent: intent)
    }
}

extension StripeIntent {
    /// Takes the texts of a call.
    fileprivate mutating func read(_ parameters: StripeParameters) throws(StripeError) {
        for name in Self.texts where parameters.has(name) {
            words[name] = try parameters.text(name, atMost: name.hasPrefix("statement") ? 22 : 1000)
        }
    }
}
