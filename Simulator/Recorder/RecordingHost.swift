public import Hardware

/// A host whose answers to authorisations are written down: the card is told of them, and a replay has to tell it the same.
public struct RecordingHost: PaymentHost {
    private let host: any PaymentHost
    private let recorder: PaymentRecorder

    public init(_ host: any PaymentHost, recorder: PaymentRecorder) { (self.host, self.recorder) = (host, recorder) }

    public var name: String { host.name }

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let response = try await host.authorize(request)
        recorder.note(response.answer)
        return response
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) { try await host.reverse(request) }

    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { try await host.advise(advice) }

    public func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult {
        try await host.inquire(key)
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await host.refund(request)
    }
}
