internal import SmartCard

/// Takes back what the host approved, or may have approved, for a payment that was not made.
struct PaymentReversal: Sendable {
    let host: any PaymentHost
    let parameters: PaymentIntentParameters

    /// Sends the reversal, in a cancelled task too.
    ///
    /// - Parameters:
    ///   - reason: what the host is told.
    ///   - iccData: how the transaction ended at the card.
    ///   - details: what is known of the payment.
    /// - Throws: ``CardReaderServiceError/paymentOutcomeUnknown(_:_:)`` when the host does not confirm it.
    func send(
        _ reason: ReversalRequest.Reason, iccData: [BERTLV] = [], details: CardPresentTransactionDetails
    ) async throws(CardReaderServiceError) {
        let request = ReversalRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount, reason: reason, iccData: iccData)
        let host = host
        // A cancelled task must not stop the one message that makes cancelling safe.
        let sending = Task { () -> PaymentHostError? in
            do throws(PaymentHostError) {
                try await host.reverse(request)
                return nil
            } catch {
                return error
            }
        }
        guard let error = await sending.value else { return }
        throw .paymentOutcomeUnknown(.requestTimedOut("the reversal is not confirmed: \(error)"), details)
    }
}
