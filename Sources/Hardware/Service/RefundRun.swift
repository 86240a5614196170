internal import Amounts
internal import EMV

/// One refund: a single message to the host, and what its answer means.
struct RefundRun: Sendable {
    let host: any PaymentHost
    let parameters: RefundParameters

    /// - Throws: ``CardReaderServiceError``
    func perform() async throws(CardReaderServiceError) -> RefundResult {
        guard parameters.amount.minorUnits > 0 else {
            throw .refundCreation(.invalidAmount("a refund is more than zero"))
        }
        guard !Task.isCancelled else { throw .refundPayment(.commandCancelled(from: .app), shouldRetry: true) }
        let request = HostRefundRequest(
            key: parameters.key, original: parameters.original, stan: parameters.stan, amount: parameters.amount)
        let host = host
        // Once it is sent, a refund's answer must not be lost to a cancelled task.
        let sending = Task { () -> Result<AuthorizationResponse, PaymentHostError> in
            do throws(PaymentHostError) {
                return .success(try await host.refund(request))
            } catch {
                return .failure(error)
            }
        }
        switch await sending.value {
        case .success(let response) where response.isApproved:
            return RefundResult(response)
        case .success(let response):
            let reason = DeclineReason(responseCode: response.responseCode)
            throw .refundPayment(.paymentDeclinedByPaymentProcessorAPI(reason), shouldRetry: reason.mayRetry)
        case .failure(.notSent(let reason)):
            throw .refundPayment(
                .notConnectedToInternet("the payment host cannot be reached: \(reason)"), shouldRetry: true)
        case .failure(.outcomeUnknown(let reason)):
            throw .refundOutcomeUnknown(.requestTimedOut("the payment host did not answer: \(reason)"))
        }
    }
}
