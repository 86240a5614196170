import Determinism
import EMV
import Money
import Payments
import SmartCard

/// The result of a payment that the host's answer decides: with a card that was swiped, or was tapped and has left.
struct HostDecisionCompletion: Sendable {
    let exchange: HostAuthorizer.Exchange
    var details: CardDetails
    let parameters: PaymentIntentParameters
    let host: any PaymentHost
    let created: Timestamp
    /// The ICC data of a reversal.
    let iccData: [BERTLV]
    /// Whether the card declined after the host had answered.
    let isRefusedByCard: Bool

    init(
        exchange: HostAuthorizer.Exchange, details: CardDetails, parameters: PaymentIntentParameters,
        host: any PaymentHost, created: Timestamp, iccData: [BERTLV] = [], isRefusedByCard: Bool = false
    ) {
        (self.exchange, self.details, self.parameters) = (exchange, details, parameters)
        (self.host, self.created, self.iccData, self.isRefusedByCard) = (host, created, iccData, isRefusedByCard)
        guard case .answered(let response) = exchange else { return }
        self.details.authorizationResponseCode = response.responseCode
        self.details.authorizationCode = response.answer.authorizationCode
        self.details.hostReference = response.reference
        self.details.judgePIN(response)
    }

    func complete() async throws(CardReaderServiceError) -> PaymentIntent {
        // Applies a cancellation that came during the host request.
        let isCancelled = Task.isCancelled
        switch exchange {
        case .notAsked, .notSent:
            guard !isCancelled else { throw .paymentMethodCollection(.commandCanceled(from: .app)) }
            throw declined(.notConnectedToInternet("the issuer could not be asked\(reason)"))
        case .outcomeUnknown:
            try await reverse(.timeout)
            throw declined(
                isCancelled
                    ? .commandCanceled(from: .app)
                    : .requestTimedOut("the issuer did not answer, and the request was taken back\(reason)"))
        case .answered(let response):
            guard AuthorizationResponseCode(bytes: response.answer.authorizationResponseCode) != nil else {
                try await reverse(.timeout)
                throw declined(.requestTimedOut("the issuer's answer makes no sense, and the request was taken back"))
            }
            guard response.isApproved else {
                throw declined(
                    .paymentDeclinedByPaymentProcessorAPI(DeclineReason(responseCode: response.responseCode)))
            }
            if isCancelled {
                try await reverse(.canceled)
                throw declined(.commandCanceled(from: .app))
            }
            if isRefusedByCard {
                try await reverse(.cardDeclined)
                throw declined(.paymentDeclinedByCardReader(.declinedByCard))
            }
            if parameters.isUnwantedPart(response) {
                try await reverse(.cardDeclined)
                throw declined(.paymentDeclinedByCardReader(.partialApproval))
            }
            return PaymentIntent(
                key: parameters.key, status: .requiresCapture, created: created,
                amount: parameters.amount(approvedBy: response), metadata: parameters.metadata, details: details)
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
        try await PaymentReversal(host: host, parameters: parameters).send(reason, iccData: iccData, details: details)
    }
}
