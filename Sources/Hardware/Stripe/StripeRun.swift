internal import Amounts
internal import CardSecrets
internal import Determinism
internal import EMV
internal import MagneticStripe

/// A payment with a swiped card: what the terminal checks by itself, the cardholder's verification, and the host, which
/// is always asked.
struct StripeRun: Sendable {
    let terminal: TerminalConfiguration
    let cardholder: any CardholderInterface
    let history: (any CardHistory)?
    let events: EventRelay
    let authorizer: HostAuthorizer
    let host: any PaymentHost
    let parameters: PaymentIntentParameters
    let date: CivilDate
    let created: Timestamp

    private typealias Verification = CardPresentTransactionDetails.CardholderVerification

    /// - Parameter card: a card that may be swiped: it has no chip, or one that could not be read.
    /// - Returns: the authorised payment.
    /// - Throws: ``CardReaderServiceError``
    func perform(_ card: consuming StripeCard) async throws(CardReaderServiceError) -> PaymentIntent {
        let isFallback = card.serviceCode.hasChip
        var details = CardPresentTransactionDetails(
            brand: CardBrand(card.pan)?.rawValue ?? "unknown", lastFour: card.pan.lastFour,
            entryMode: isFallback ? .fallback : .swipe, cardholderVerification: .none,
            accountType: parameters.accountType)
        if let reason = refusal(of: card) { throw declined(reason, details) }
        if await history?.isOnExceptionFile(card.pan, sequenceNumber: nil) == true {
            throw declined("the card is on the exception file", details)
        }
        let block: EncipheredPINBlock?
        (details.cardholderVerification, block) = try await verify(card, details)
        let exchange = await authorizer.ask(
            .stripe(
                StripeAuthorizationRequest(
                    card: card, isFallback: isFallback, terminalCountry: terminal.country,
                    verification: details.cardholderVerification, pinBlock: block)))
        return try await StripeSettlement(
            exchange: exchange, details: details, parameters: parameters, host: host, created: created
        ).settle()
    }

    /// Why the terminal does not take the card; nil when the issuer is to be asked.
    private func refusal(of card: borrowing StripeCard) -> String? {
        guard !card.expiry.isOver(on: date) else { return "the card has expired" }
        switch card.serviceCode.interchange {
        case .bilateral: return "the card is not for use here"
        case .test: return "the card is for tests only"
        // Whether it is national here, only the issuer can tell: no country is on the stripe.
        case .international, .national, .reserved: break
        }
        switch card.serviceCode.services {
        case .cash, .atm: return "the card is for cash only"
        case .unrestricted, .goodsAndServices, .reserved: return nil
        }
    }

    // MARK: The cardholder

    /// Verifies the cardholder as the service code wants it: by a PIN for the issuer, or by signature.
    private func verify(
        _ card: borrowing StripeCard, _ details: CardPresentTransactionDetails
    ) async throws(CardReaderServiceError) -> (Verification, EncipheredPINBlock?) {
        let wish = card.serviceCode.pin
        guard wish != .notAsked else { return (signature, nil) }
        if terminal.capabilities.contains(.encipheredOnlinePIN) {
            let prompt = PINPrompt(method: .online, triesLeft: nil, isRetry: false)
            events.send(.kernel(.enteringPIN(prompt)))
            switch await cardholder.enterPIN(prompt) {
            case .entered(let pin):
                if let block = await cardholder.encipherPIN(pin, pan: card.pan) { return (.onlinePIN, block) }
            case .bypassed:
                guard terminal.mayBypassPIN else { throw .paymentMethodCollection(.commandCancelled(from: .reader)) }
            case .cancelled: throw .paymentMethodCollection(.commandCancelled(from: .reader))
            case .unavailable: break
            }
        }
        guard wish == .whereFeasible else { throw declined("the card needs its PIN", details) }
        return (signature, nil)
    }

    private var signature: Verification { terminal.capabilities.contains(.signature) ? .signature : .none }

    private func declined(_ reason: String, _ details: CardPresentTransactionDetails) -> CardReaderServiceError {
        .paymentCaptureWithPaymentMethod(.paymentDeclinedByCardReader(reason), details)
    }
}
