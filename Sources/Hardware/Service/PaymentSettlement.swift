internal import CardSecrets
internal import Determinism
internal import EMV
internal import SmartCard

/// Makes kernel and host agree on how a payment ended, and takes back what the host approved and the
/// card did not make.
struct PaymentSettlement: Sendable {
    let outcome: KernelOutcome
    let exchange: HostAuthorizer.Exchange
    let parameters: PaymentIntentParameters
    let host: any PaymentHost
    let created: Timestamp

    func settle() async throws(CardReaderServiceError) -> PaymentIntent {
        // A cancel that came while the host was asked is carried out now.
        let isCancelled = Task.isCancelled
        if let reason = reversalReason(isCancelled: isCancelled) {
            try await reverse(reason)
        } else if let notice {
            await tell(notice)
        }
        switch outcome.decision {
        case .approvedOnline where isPartialApproval:
            throw .paymentCaptureWithPaymentMethod(
                .paymentDeclinedByCardReader("the issuer approves only a part of the amount"), details)
        case .approvedOnline where !isCancelled: return intent(advice: nil)
        case .approvedOffline where !isCancelled && hasBeenTakenBack:
            // The issuer may have approved as well. Its approval was taken back under the attempt's key, and
            // nothing else may be charged under that key: the card's own approval is not used.
            throw .paymentCaptureWithPaymentMethod(declineByTerminal, details)
        case .approvedOffline where !isCancelled: return intent(advice: advice(.offlineApproval))
        case .approvedOnline, .approvedOffline, .cancelled(.caller):
            throw failure(.commandCancelled(from: .app))
        case .cancelled(.cardholder): throw failure(.commandCancelled(from: .reader))
        case .declinedOnline, .referred: throw .paymentCaptureWithPaymentMethod(declineOfHost, details)
        case .declinedByCard, .declinedOffline:
            throw .paymentCaptureWithPaymentMethod(declineByTerminal, details)
        case .tryAnotherInterface(let error), .terminated(let error):
            let cause = UnderlyingError(error)
            if case .paymentDeclinedByCardReader = cause {
                throw .paymentCaptureWithPaymentMethod(cause, details)
            }
            throw failure(cause)
        }
    }

    /// Whether the terminal declined because the card did not prove that its cryptogram is its own.
    private var hasUnsignedCryptogram: Bool {
        outcome.decision == .declinedOffline && outcome.offlineAuthentication.result == .failed
            && outcome.offlineAuthentication.method == .cda
    }

    private var hasBeenTakenBack: Bool {
        if case .outcomeUnknown = exchange { true } else { false }
    }

    private func reversalReason(isCancelled: Bool) -> ReversalRequest.Reason? {
        switch exchange {
        case .notAsked, .notSent: nil
        case .outcomeUnknown: .timeout
        case .answered(let response):
            if outcome.decision == .approvedOnline {
                isCancelled ? .cancelled : isPartialApproval ? .cardDeclined : nil
            } else if response.isApproved || outcome.isReversalRequired {
                outcome.decision == .declinedByCard || hasUnsignedCryptogram ? .cardDeclined : .cancelled
            } else {
                nil
            }
        }
    }

    private func reverse(_ reason: ReversalRequest.Reason) async throws(CardReaderServiceError) {
        try await PaymentReversal(host: host, parameters: parameters)
            .send(reason, iccData: outcome.iccData, details: details)
    }

    /// Hands the host what it should know of how the transaction ended. The payment does not depend on it, so a
    /// host that cannot take it changes nothing.
    private func tell(_ notice: AdviceRequest) async {
        let host = host
        await Task { try? await host.advise(notice) }.value
    }

    /// What the issuer should know beside the payment itself; nil when there is nothing, or when a reversal says it.
    private var notice: AdviceRequest? {
        switch exchange {
        case .notAsked, .notSent: outcome.isAdviceRequired && isOfflineDecline ? advice(.offlineDecline) : nil
        case .answered: outcome.scriptResults.isEmpty ? nil : advice(.completion)
        case .outcomeUnknown: nil
        }
    }

    private var isOfflineDecline: Bool { [.declinedOffline, .declinedByCard].contains(outcome.decision) }

    private var declineOfHost: UnderlyingError {
        guard case .answered(let response) = exchange else {
            return .paymentDeclinedByCardReader("the issuer does not approve")
        }
        return .paymentDeclinedByPaymentProcessorAPI(DeclineReason(responseCode: response.responseCode))
    }

    /// Card or terminal declined. A line that is down is not told as a card that is bad.
    private var declineByTerminal: UnderlyingError {
        switch exchange {
        case .notAsked where hasUnsignedCryptogram, .answered where hasUnsignedCryptogram:
            .paymentDeclinedByCardReader("the card could not be authenticated")
        case .notAsked where outcome.decision == .declinedOffline:
            .paymentDeclinedByCardReader("the terminal declined without asking the issuer")
        case .notAsked, .answered: .paymentDeclinedByCardReader("the card declined")
        case .notSent(let reason): .notConnectedToInternet("the issuer could not be asked: \(reason)")
        case .outcomeUnknown(let reason):
            .requestTimedOut("the issuer did not answer, and the request was taken back: \(reason)")
        }
    }

    /// Response code 10 approves a part of the amount, which was not asked for and cannot be taken for the whole.
    private var isPartialApproval: Bool {
        if case .answered(let response) = exchange { response.responseCode == "10" } else { false }
    }

    /// A failure that is no decline: with the card's data when the host has heard of the payment.
    private func failure(_ error: UnderlyingError) -> CardReaderServiceError {
        switch exchange {
        case .notAsked, .notSent: .paymentMethodCollection(error)
        case .outcomeUnknown, .answered: .paymentCaptureWithPaymentMethod(error, details)
        }
    }

    private func intent(advice: AdviceRequest?) -> PaymentIntent {
        PaymentIntent(
            key: parameters.key, status: .requiresCapture, created: created, amount: parameters.amount,
            metadata: parameters.metadata, details: details, advice: advice)
    }

    private func advice(_ purpose: AdviceRequest.Purpose) -> AdviceRequest {
        AdviceRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount,
            lastFour: outcome.pan?.lastFour ?? "", iccData: outcome.iccData, purpose: purpose)
    }

    private var details: CardPresentTransactionDetails {
        var details = CardPresentTransactionDetails(outcome)
        guard case .answered(let response) = exchange else { return details }
        details.hostReference = response.reference
        return details
    }
}
