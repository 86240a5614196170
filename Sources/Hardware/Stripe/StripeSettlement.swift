internal import Determinism
internal import EMV

/// What the host's answer makes of a payment with a swiped card. There is no card that could disagree with it.
struct StripeSettlement: Sendable {
    let exchange: HostAuthorizer.Exchange
    var details: CardPresentTransactionDetails
    let parameters: PaymentIntentParameters
    let host: any PaymentHost
    let created: Timestamp

    init(
        exchange: HostAuthorizer.Exchange, details: CardPresentTransactionDetails, parameters: PaymentIntentParameters,
        host: any PaymentHost, created: Timestamp
    ) {
        (self.exchange, self.details, self.parameters) = (exchange, details, parameters)
        (self.host, self.created) = (host, created)
        guard case .answered(let response) = exchange else { return }
        self.details.authorizationResponseCode = response.responseCode
        self.details.authorizationCode = response.answer.authorisationCode
        self.details.hostReference = response.reference
    }

    func settle() async throws(CardReaderServiceError) -> PaymentIntent {
        // A cancel that came while the host was asked is carried out now.
        let isCancelled = Task.isCancelled
        switch exchange {
        case .notAsked, .notSent:
            guard !isCancelled else { throw .paymentMethodCollection(.commandCancelled(from: .app)) }
            throw declined(.notConnectedToInternet("the issuer could not be asked\(reason)"))
        case .outcomeUnknown:
            try await reverse(.timeout)
            throw declined(
                isCancelled
                    ? .commandCancelled(from: .app)
                    : .requestTimedOut("the issuer did not answer, and the request was taken back\(reason)"))
        case .answered(let response):
            guard AuthorisationResponseCode(bytes: response.answer.authorisationResponseCode) != nil else {
                try await reverse(.timeout)
                throw declined(.requestTimedOut("the issuer's answer makes no sense, and the request was taken back"))
            }
            guard response.isApproved else {
                throw declined(
                    .paymentDeclinedByPaymentProcessorAPI(DeclineReason(responseCode: response.responseCode)))
            }
            if isCancelled {
                try await reverse(.cancelled)
                throw declined(.commandCancelled(from: .app))
            }
            // Response code 10 approves a part of the amount, which was not asked for.
            if response.responseCode == "10" {
                try await reverse(.cardDeclined)
                throw declined(.paymentDeclinedByCardReader("the issuer approves only a part of the amount"))
            }
            return PaymentIntent(
                key: parameters.key, status: .requiresCapture, created: created, amount: parameters.amount,
                metadata: parameters.metadata, details: details)
        }
    }

    private var reason: String {
        switch exchange {
        case .notSent(let reason), .outcomeUnknown(let reason): ": \(reason)"
        case .notAsked, .answered: ""
        }
    }

    private func declined(_ error: UnderlyingError) -> CardReaderServiceError {
        .paymentCaptureWithPaymentMethod(error, details)
    }

    private func reverse(_ reason: ReversalRequest.Reason) async throws(CardReaderServiceError) {
        try await PaymentReversal(host: host, parameters: parameters).send(reason, details: details)
    }
}
