internal import Amounts
internal import Determinism
internal import EMV

/// Asks the host on the kernel's behalf, for one payment, and remembers how that went.
actor HostAuthorizer: OnlineAuthorizer {
    /// What passed between this payment and the host.
    enum Exchange: Hashable, Sendable {
        case notAsked
        /// Certainly nothing left.
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

    /// Asks the host about a card, however it was read.
    func ask(_ card: consuming PresentedCard) async -> Exchange {
        events.send(.cardDetailsCollected)
        guard !Task.isCancelled else {
            exchange = .notSent("cancelled")
            return exchange
        }
        events.send(.authorizing)
        let message = AuthorizationRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount, date: date, card: card)
        // From here on the request may be on its way. A cancelled task must not lose its answer, so the
        // host is asked by a task that nobody cancels; the host has a deadline of its own.
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
