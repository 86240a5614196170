import CardSecrets
import Determinism
import EMV
import MagneticStripe
import Money
import Payments

/// A payment with a swiped card: the terminal's checks, the cardholder verification, and the authorization, which is
/// always online.
struct MagneticStripeRun: Sendable {
    let dependencies: ReaderPayments.PaymentDependencies
    let terminal: TerminalConfiguration
    let events: EventRelay
    let authorizer: HostAuthorizer
    let parameters: PaymentIntentParameters
    let date: CivilDate
    let created: Timestamp

    private typealias Verification = CardDetails.CardholderVerification

    /// - Parameter card: A card that may be swiped: it has no chip, or its chip could not be read.
    /// - Returns: The authorized payment.
    /// - Throws: ``CardReaderServiceError``
    func perform(_ card: consuming SwipedCard) async throws(CardReaderServiceError) -> PaymentIntent {
        let isFallback = card.serviceCode.hasChip
        var details = CardDetails(
            brand: CardBrand(card.pan)?.rawValue ?? "unknown", lastFour: card.pan.lastFour,
            entryMode: isFallback ? .fallback : .swipe, cardholderVerification: .none,
            accountType: parameters.accountType)
        if let reason = refusal(of: card) { throw declined(reason, details) }
        if await dependencies.history?.isOnExceptionFile(card.pan, sequenceNumber: nil) == true {
            throw declined(.onExceptionFile, details)
        }
        let block: EncipheredPINBlock?
        (details.cardholderVerification, block) = try await verify(card, details)
        let exchange = await authorizer.ask(
            .stripe(
                MagneticStripeAuthorizationRequest(
                    card: card, isFallback: isFallback, terminalCountry: terminal.country,
                    verification: details.cardholderVerification, pinBlock: block)))
        return try await MagneticStripeCompletion(
            exchange: exchange, details: details, parameters: parameters, host: dependencies.host, created: created
        ).complete()
    }

    /// Returns why the terminal declines the card; nil to ask the issuer.
    private func refusal(of card: borrowing SwipedCard) -> TerminalDeclineReason? {
        guard !card.expiry.isOver(on: date) else { return .cardExpired }
        switch card.serviceCode.interchange {
        case .bilateral: return .cardForOtherUse(.bilateral)
        case .test: return .cardForOtherUse(.tests)
        // Only the issuer can check a national card: the stripe contains no country.
        case .international, .national, .reserved: break
        }
        switch card.serviceCode.services {
        case .cash, .atm: return .cardForOtherUse(.cash)
        case .unrestricted, .goodsAndServices, .reserved: return nil
        }
    }

    // MARK: The cardholder

    /// Verifies the cardholder as the service code requires: by online PIN or by signature.
    private func verify(
        _ card: borrowing SwipedCard, _ details: CardDetails
    ) async throws(CardReaderServiceError) -> (Verification, EncipheredPINBlock?) {
        let requirement = card.serviceCode.pin
        guard requirement != .notAsked else { return (signature, nil) }
        if terminal.capabilities.contains(.encipheredOnlinePIN) {
            let prompt = PINPrompt(method: .online, triesLeft: nil, isRetry: false)
            events.send(.kernel(.enteringPIN(prompt)))
            switch await dependencies.cardholder.enterPIN(prompt) {
            case .entered(let pin):
                if let block = await dependencies.cardholder.encipherPIN(pin, pan: card.pan) {
                    return (.onlinePIN, block)
                }
            case .bypassed:
                guard terminal.mayBypassPIN else { throw .paymentMethodCollection(.commandCanceled(from: .reader)) }
            case .canceled: throw .paymentMethodCollection(.commandCanceled(from: .reader))
            case .unavailable: break
            }
        }
        guard requirement == .whereFeasible else { throw declined(.pinRequired, details) }
        return (signature, nil)
    }

    private var signature: Verification { terminal.capabilities.contains(.signature) ? .signature : .none }

    private func declined(_ reason: TerminalDeclineReason, _ details: CardDetails) -> CardReaderServiceError {
        .paymentCaptureWithPaymentMethod(.paymentDeclinedByCardReader(reason), details)
    }
}

/// The result of a payment with a swiped card, from the host's answer. There is no card that could disagree with it.
struct MagneticStripeCompletion: Sendable {
    let exchange: HostAuthorizer.Exchange
    var details: CardDetails
    let parameters: PaymentIntentParameters
    let host: any PaymentHost
    let created: Timestamp

    init(
        exchange: HostAuthorizer.Exchange, details: CardDetails, parameters: PaymentIntentParameters,
        host: any PaymentHost, created: Timestamp
    ) {
        (self.exchange, self.details, self.parameters) = (exchange, details, parameters)
        (self.host, self.created) = (host, created)
        guard case .answered(let response) = exchange else { return }
        self.details.authorizationResponseCode = response.responseCode
        self.details.authorizationCode = response.answer.authorizationCode
        self.details.hostReference = response.reference
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
        try await PaymentReversal(host: host, parameters: parameters).send(reason, details: details)
    }
}
