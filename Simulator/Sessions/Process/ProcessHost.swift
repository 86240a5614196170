internal import Hardware
internal import Simulator

/// The way from a process to the issuer: tells of every message, and carries none of a dead process.
struct ProcessHost: PaymentHost {
    let issuer: SimulatedIssuer
    let life: ProcessLife

    var name: String { issuer.name }

    private static let gone = "the process is gone"

    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        try send("authorize")
        do throws(PaymentHostError) {
            return try take("authorize", try await issuer.authorize(request)) { $0.responseCode }
        } catch {
            throw fail("authorize", error)
        }
    }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        try await exchange("reverse", about: request.reason.rawValue) { () async throws(PaymentHostError) in
            try await issuer.reverse(request)
        } words: {
            ""
        }
    }

    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        try await exchange("advise", about: advice.purpose.rawValue) { () async throws(PaymentHostError) in
            try await issuer.advise(advice)
        } words: {
            ""
        }
    }

    func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult {
        try await exchange("inquire") { () async throws(PaymentHostError) in
            try await issuer.inquire(key)
        } words: { result in
            switch result {
            case .notFound: "not_found"
            case .approved: "approved"
            case .declined: "declined"
            case .reversed: "reversed"
            }
        }
    }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await exchange("refund") { () async throws(PaymentHostError) in
            try await issuer.refund(request)
        } words: {
            $0.responseCode
        }
    }

    // MARK: One message

    private func exchange<Answer>(
        _ message: String, about detail: String = "", _ body: () async throws(PaymentHostError) -> Answer,
        words: (Answer) -> String
    ) async throws(PaymentHostError) -> Answer {
        try send(message, detail)
        do throws(PaymentHostError) {
            return try take(message, try await body(), words: words)
        } catch {
            throw fail(message, error)
        }
    }

    /// The message leaves: if the process dies of it, the issuer gets it all the same.
    private func send(_ message: String, _ detail: String = "") throws(PaymentHostError) {
        guard life.isAlive else { throw .notSent(Self.gone) }
        life.note(.host, detail.isEmpty ? "\(message) sent" : "\(message) sent \(detail)")
    }

    private func take<Answer>(
        _ message: String, _ answer: Answer, words: (Answer) -> String
    ) throws(PaymentHostError) -> Answer {
        let words = words(answer)
        life.note(.host, words.isEmpty ? "\(message) answered" : "\(message) answered \(words)")
        guard life.isAlive else { throw .outcomeUnknown(Self.gone) }
        return answer
    }

    private func fail(_ message: String, _ error: PaymentHostError) -> PaymentHostError {
        switch error {
        case .notSent: life.note(.host, "\(message) not_sent")
        case .outcomeUnknown: life.note(.host, "\(message) unanswered")
        }
        return life.isAlive ? error : .outcomeUnknown(Self.gone)
    }
}
