internal import Hardware

/// The payment host of a command that takes no payments: nothing ever leaves this machine.
struct NoHost: PaymentHost {
    let name = "none"

    private static let refusal = PaymentHostError.notSent("this command takes no payments")

    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse { throw Self.refusal }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) { throw Self.refusal }

    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { throw Self.refusal }

    func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult { throw Self.refusal }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        throw Self.refusal
    }
}
