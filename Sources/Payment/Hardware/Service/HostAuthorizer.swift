import Determinism
import EMV
import Money
import Payments
import SmartCard

/// Requests the authorization of one payment for the kernel, and records the outcome.
actor HostAuthorizer: OnlineAuthorizer {
    /// The outcome of the exchange with the host.
    enum Exchange: Hashable, Sendable {
        case notAsked
        /// Certainly nothing was sent.
        case notSent(String)
        /// The host may have approved.
        case outcomeUnknown(String)
        case answered(AuthorizationResponse)
    }

    private(set) var exchange = Exchange.notAsked
    private let host: any PaymentHost
    private let parameters: PaymentIntentParameters
    private let date: CivilDate
    private let events: EventRelay

    init(
        host: any PaymentHost, parameters: PaymentIntentParameters, date: CivilDate, events: EventRelay
    ) {
        (self.host, self.parameters, self.date, self.events) = (host, parameters, date, events)
    }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        guard case .answered(let response) = await ask(.chip(request)) else { return .unableToGoOnline }
        return .answered(response.answer)
    }

    /// Requests the authorization of a card, for any entry mode.
    func ask(_ card: consuming PresentedCard) async -> Exchange {
        events.send(.cardDetailsCollected)
        guard !Task.isCancelled else {
            exchange = .notSent("canceled")
            return exchange
        }
        events.send(.authorizing)
        let message = AuthorizationRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount, date: date,
            isPreauthorization: parameters.authorizesOnly, card: card)
        // From here on the request may have been sent. A canceled task must not lose the answer, so the host is called
        // in a separate task; the host has its own deadline.
        let host = host
        let sending = Task { () -> Exchange in
            do throws(PaymentHostError) {
                return .answered(try await host.authorize(message))
            } catch {
                return switch error {
                case .notSent(let reason): .notSent(reason)
                case .outcomeUnknown(let reason): .outcomeUnknown(reason)
                }
            }
        }
        exchange = await sending.value
        return exchange
    }
}

/// Reverses an authorization that the host approved, or may have approved, for a payment that was not completed.
struct PaymentReversal: Sendable {
    let host: any PaymentHost
    let parameters: PaymentIntentParameters

    /// Sends the reversal, even in a canceled task.
    ///
    /// - Parameters:
    ///   - reason: The reason for the host.
    ///   - iccData: The ICC data at the end of the transaction.
    ///   - details: The card data of the payment.
    /// - Throws: ``CardReaderServiceError/paymentOutcomeUnknown(_:_:)`` when the host does not confirm the reversal.
    func send(
        _ reason: ReversalRequest.Reason, iccData: [BERTLV] = [], details: CardDetails
    ) async throws(CardReaderServiceError) {
        let request = ReversalRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount, reason: reason, iccData: iccData)
        let host = host
        // A cancellation must not stop the message that makes it safe.
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
