/// The acquirer's host: authorises, reverses, refunds.
///
/// Every message carries the attempt's ``IdempotencyKey``. A host that sees a key again answers as it
/// did the first time and moves no money twice.
///
/// No call waits for ever: a host that hears nothing within a time of its own says
/// ``PaymentHostError/outcomeUnknown(_:)``, and an answer that comes later is not heard.
public protocol PaymentHost: Sendable {
    /// What the journal writes beside an attempt, so that a later run asks the same host again.
    var name: String { get }

    /// Asks for authorisation and waits for the answer.
    ///
    /// - Throws: ``PaymentHostError/notSent(_:)`` when certainly nothing left, else
    ///   ``PaymentHostError/outcomeUnknown(_:)``: the host may have approved.
    func authorize(_ request: borrowing AuthorizationRequest) async throws(PaymentHostError) -> AuthorizationResponse

    /// Takes an authorisation back. Reversing what the host never saw, or has reversed, succeeds.
    func reverse(_ request: ReversalRequest) async throws(PaymentHostError)

    /// Tells of a payment that the card approved offline, so that it is cleared, or of how a transaction ended.
    func advise(_ advice: AdviceRequest) async throws(PaymentHostError)

    /// Asks what became of the message with this key.
    func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult

    /// Gives money back for a captured payment.
    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse
}
