import HTTPInterface
import Money
import Payments
import Printing
import Sessions
import Yosemite

extension ServiceRoute {
    private static let idempotencyKey = [
        Parameter(
            name: "Idempotency-Key", schema: .phrase(1...255),
            summary: "The key of the request. A repetition with the same key and body returns the first payment.")
    ]

    private static let storeFailed = (status: 502, summary: "The store was made to fail.")

    /// The routes of payments and receipts.
    static let payments: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/payments", name: "listPayments",
            summary: "Lists the payments.",
            success: .list("Payment", "Oldest first.")
        ) { call async throws(APIError) in .list(try await call.session().payments(), as: Views.payment) },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/payments", name: "startPayment",
            summary: "Starts a payment and runs it until a person must act or it ends.", headers: idempotencyKey,
            body: .named("PaymentPlan"),
            success: .json("Payment", "The payment, which may be waiting for a person.", status: 201),
            failures: [(409, "Another payment runs, or no reader is connected."), storeFailed]
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
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/payments/{payment}", name: "readPayment",
            summary: "Returns a payment.", success: .json("Payment", "The payment.")
        ) { call async throws(APIError) in
            .json(try await call.session().payment(try call.payment()), as: Views.payment)
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/cancel", name: "cancelPayment",
            summary: "Cancels the running payment.", success: .json("Payment", "The payment."),
            failures: [(409, "The payment is not running.")]
        ) { call async throws(APIError) in
            let (session, number) = (try call.session(), try call.payment())
            _ = try await session.payment(number)
            guard let operation = session.operation, operation.payment == number else {
                throw APIError(409, "not_running", "the payment has ended already")
            }
            try await session.act([operation.kind == .refund ? .cancelRefund : .cancelPayment])
            return .json(try await session.payment(number), as: Views.payment)
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/retry", name: "retryPayment",
            summary: "Retries a payment that was declined, canceled, or failed.", headers: idempotencyKey,
            body: .named("Conduct"), success: .json("Payment", "The payment.", status: 201),
            failures: [(409, "The payment cannot be retried."), storeFailed]
        ) { call async throws(APIError) in
            let (options, number) = (try PaymentBody.conduct(call.body), try call.payment())
            _ = try await call.session().payment(number)
            return try await start(call, Operation(.payment, payment: number)) {
                session async throws(SimulatedSessionError) in
                _ = try await session.retry(PaymentID(rawValue: number), options)
            }
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/refund", name: "refundPayment",
            summary: "Refunds a payment.", headers: idempotencyKey, body: .named("Refund"),
            success: .json("Payment", "The payment.", status: 201),
            failures: [(409, "The payment cannot be refunded."), storeFailed]
        ) { call async throws(APIError) in
            let number = try call.payment()
            let currency = try await call.session().payment(number).payment.amount.currency
            var amount: Money?
            if let node = call.body["amount"] { amount = try PaymentBody.money(node, currency) }
            return try await start(call, Operation(.refund, payment: number)) {
                [amount] session async throws(SimulatedSessionError) in
                _ = try await session.refund(PaymentID(rawValue: number), amount: amount)
            }
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/payments/{payment}/receipt", name: "readReceipt",
            summary: "Returns the newest receipt as text, HTML, or a picture.",
            query: [
                Parameter(name: "format", schema: .word(ReceiptPage.formats), summary: "The format. Default: text."),
                Parameter(
                    name: "copy", schema: .word(["customer", "merchant"]), summary: "The copy. Default: customer."),
                Parameter(
                    name: "kind", schema: .word(["sale", "refund"]),
                    summary: "The kind of receipt. Default: the newest of any kind."),
            ],
            success: Success(
                status: 200, summary: "The receipt.",
                content: [("text/plain", nil), ("text/html", nil), ("image/png", nil)]),
            failures: []
        ) { call async throws(APIError) in try await ReceiptPage(call).answer() },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/print", name: "printReceipt",
            summary: "Prints the newest receipt. A reprint is marked as a duplicate.",
            query: [
                Parameter(
                    name: "copy", schema: .word(["customer", "merchant"]), summary: "The copy. Default: customer.")
            ],
            success: .json("PrintJob", "The print job in its last known state."),
            failures: [(503, "The printer does not accept the job.")]
        ) { call async throws(APIError) in
            let (session, number) = (try call.session(), try call.payment())
            let copy = ReceiptCopy(rawValue: try call.word("copy", ["customer", "merchant"]) ?? "") ?? .customer
            let print = try await session.step("print") { session async throws(SimulatedSessionError) in
                try await session.printReceipt(of: PaymentID(rawValue: number), copy: copy)
            }
            return .json(print, as: Views.print)
        },
    ]

    /// Starts an operation and responds with its payment.
    private static func start(
        _ call: ServiceCall, _ operation: Operation = Operation(.payment),
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Void
    ) async throws(APIError) -> APIAnswer {
        let session = try call.session()
        var key: (name: String, body: [UInt8])?
        if let name = call.request.headers["idempotency-key"] {
            guard (1...255).contains(name.unicodeScalars.count) else {
                throw APIError(400, "invalid_idempotency_key", "an Idempotency-Key has 1 to 255 characters")
            }
            // The same key for another path is another request.
            key = (name, Array(call.request.path.utf8) + [0] + call.request.body)
        }
        let hadPayment = operation.payment != nil
        let (begun, isNew) = try await session.begin(operation, key: key, body)
        if hadPayment, let failure = begun.failure { throw APIError(failure) }
        guard let number = begun.payment else {
            try session.checkNotPaused()
            throw APIError(500, "internal", "the payment is not in the journal")
        }
        let payment = try await session.payment(number)
        let answer = APIAnswer.json(payment, as: Views.payment, status: 201)
            .with("Location", "/v1/sessions/\(session.id)/payments/\(payment.payment.name)")
        return isNew ? answer : answer.with("Idempotency-Replayed", "true")
    }
}

extension ServiceCall {
    /// Returns the number of the payment in the path.
    func payment() throws(APIError) -> Int64 {
        let name = values["payment"] ?? ""
        guard let number = PaymentID(name) else {
            throw APIError(
                404, "unknown_payment", "'\(BodyNode.clip(name))' is not a payment number",
                fix: "use a number such as P000001")
        }
        return number.rawValue
    }
}
