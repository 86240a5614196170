internal import Amounts
internal import Hardware
internal import Sessions
internal import Yosemite

extension Route {
    private static let idempotencyKey = [
        Parameter(
            name: "Idempotency-Key", schema: .text,
            summary: "The same key with the same body never starts a second one: the first one is answered.")
    ]

    /// Payments.
    static let payments: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions/{session}/payments", name: "listPayments", summary: "The payments.",
            success: .list("Payment", "Oldest first.")
        ) { call async throws(APIError) in .json(try await call.session().payments()) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments", name: "startPayment",
            summary: "Takes a payment, as far as it goes without a person.", headers: idempotencyKey,
            body: .named("PaymentPlan"), isBodyRequired: true,
            success: .json("Payment", "The payment, which may be waiting for a person.", status: 201),
            failures: [(409, "Another payment runs, or no reader is connected."), (422, "The body has a mistake.")]
        ) { call async throws(APIError) in
            let payment = try PaymentBody(call.body)
            return try await start(call) { session async throws(SimulatedSessionError) in
                switch payment.subject {
                case .amount(let amount): _ = try await session.pay(amount, payment.options)
                case .order(let order, let expected):
                    _ = try await session.pay(order: order, expected: expected, payment.options)
                }
            }
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/payments/{payment}", name: "readPayment",
            summary: "A payment.", success: .json("Payment", "The payment.")
        ) { call async throws(APIError) in .json(try await call.session().payment(try call.payment())) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/cancel", name: "cancelPayment",
            summary: "Asks the till to cancel the payment that runs.", success: .json("Payment", "The payment."),
            failures: [(409, "The payment does not run.")]
        ) { call async throws(APIError) in
            let (session, number) = (try call.session(), try call.payment())
            _ = try await session.payment(number)
            guard let operation = session.operation, operation.payment == number else {
                throw APIError(409, "not_running", "the payment has ended already")
            }
            try await session.act([operation.kind == .refund ? .cancelRefund : .cancelPayment])
            return .json(try await session.payment(number))
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/retry", name: "retryPayment",
            summary: "Tries a payment again that was declined, cancelled or failed.", headers: idempotencyKey,
            body: .named("Conduct"), success: .json("Payment", "The payment.", status: 201),
            failures: [(409, "It cannot be tried again.")]
        ) { call async throws(APIError) in
            let (options, number) = (try PaymentBody.conduct(call.body), try call.payment())
            _ = try await call.session().payment(number)
            return try await start(call, Operation(.payment, payment: number)) {
                session async throws(SimulatedSessionError) in _ = try await session.retry(number, options)
            }
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/refund", name: "refundPayment",
            summary: "Gives money back.", headers: idempotencyKey, body: .named("Refund"),
            success: .json("Payment", "The payment.", status: 201), failures: [(409, "It cannot be refunded.")]
        ) { call async throws(APIError) in
            let number = try call.payment()
            let payment = try await call.session().payment(number)
            var amount: Money?
            if let node = call.body["amount"], let currency = try? Currency(code: payment.currency) {
                amount = try PaymentBody.money(node, currency)
            }
            return try await start(call, Operation(.refund, payment: number)) {
                [amount] session async throws(SimulatedSessionError) in
                _ = try await session.refund(number, amount: amount)
            }
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/payments/{payment}/receipt", name: "readReceipt",
            summary: "The newest receipt, as text or as a page.",
            query: [
                Parameter(name: "format", schema: .word(["text", "html"]), summary: "text without."),
                Parameter(name: "copy", schema: .word(["customer", "merchant"]), summary: "customer without."),
                Parameter(name: "kind", schema: .word(["sale", "refund"]), summary: "The newest of any kind without."),
            ],
            success: Success(
                status: 200, summary: "The receipt.", content: [("text/plain", nil), ("text/html", nil)]),
            failures: []
        ) { call async throws(APIError) in try await ReceiptPage(call).answer() },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/print", name: "printReceipt",
            summary: "Prints the newest receipt; one that was printed before comes as a duplicate.",
            query: [
                Parameter(name: "copy", schema: .word(["customer", "merchant"]), summary: "customer without.")
            ],
            success: .json("PrintJob", "The print, as far as it came."),
            failures: [(503, "The printer does not take it.")]
        ) { call async throws(APIError) in
            let (session, number) = (try call.session(), try call.payment())
            let copy = ReceiptCopy(rawValue: try call.word("copy", ["customer", "merchant"]) ?? "") ?? .customer
            let job = try await session.step("print") { session async throws(SimulatedSessionError) in
                let print = try await session.printReceipt(of: number, copy: copy)
                return PrintJobView(name: print.name, printer: print.printer, state: print.state.rawValue)
            }
            return .json(job)
        },
    ]

    /// Begins an operation, and answers with its payment.
    private static func start(
        _ call: Call, _ operation: Operation = Operation(.payment),
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Void
    ) async throws(APIError) -> APIAnswer {
        let session = try call.session()
        var key: (name: String, body: [UInt8])?
        if let name = call.request.headers["idempotency-key"] {
            guard (1...255).contains(name.utf8.count) else {
                throw APIError(400, "invalid_idempotency_key", "an Idempotency-Key has 1 to 255 characters")
            }
            // The same key at another address is another request.
            key = (name, Array(call.request.path.utf8) + [0] + call.request.body)
        }
        let hadPayment = operation.payment != nil
        let (begun, isNew) = try await session.begin(operation, key: key, body)
        if hadPayment, let failure = begun.failure { throw APIError(failure) }
        guard let number = begun.payment else {
            throw APIError(500, "internal", "the payment left no trace in the journal")
        }
        let view = try await session.payment(number)
        let answer = APIAnswer.json(view, status: 201)
            .with("Location", "/v1/sessions/\(session.id)/payments/\(view.id)")
        return isNew ? answer : answer.with("Idempotency-Replayed", "true")
    }
}

extension Call {
    /// The number of the payment that the path names.
    func payment() throws(APIError) -> Int64 {
        let name = values["payment"] ?? ""
        guard let number = Payment.id(named: name) else {
            throw APIError(404, "unknown_payment", "'\(BodyNode.clip(name))' is no payment", fix: "write P000001")
        }
        return number
    }
}
