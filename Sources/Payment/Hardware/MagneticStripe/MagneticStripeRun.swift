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
        return try await HostDecisionCompletion(
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
        let entry = OnlinePINEntry(dependencies: dependencies, terminal: terminal, events: events)
        if let block = try await entry.block(card.pan) { return (.onlinePIN, block) }
        guard requirement == .whereFeasible else { throw declined(.pinRequired, details) }
        return (signature, nil)
    }

    private var signature: Verification { terminal.capabilities.contains(.signature) ? .signature : .none }

    private func declined(_ reason: TerminalDeclineReason, _ details: CardDetails) -> CardReaderServiceError {
        .paymentCaptureWithPaymentMethod(.paymentDeclinedByCardReader(reason), details)
    }
}

/// The entry of a PIN that the issuer verifies.
struct OnlinePINEntry: Sendable {
    let dependencies: ReaderPayments.PaymentDependencies
    let terminal: TerminalConfiguration
    let events: EventRelay

    /// Asks for the PIN.
    ///
    /// - Returns: The enciphered PIN; nil when the terminal has no PIN pad, or the entry was bypassed.
    /// - Throws: ``CardReaderServiceError``: the cardholder canceled.
    func block(_ pan: borrowing PrimaryAccountNumber) async throws(CardReaderServiceError) -> EncipheredPINBlock? {
        guard terminal.capabilities.contains(.encipheredOnlinePIN) else { return nil }
        let prompt = PINPrompt(method: .online, triesLeft: nil, isRetry: false)
        events.send(.kernel(.enteringPIN(prompt)))
        switch await dependencies.cardholder.enterPIN(prompt) {
        case .entered(let pin): return await dependencies.cardholder.encipherPIN(pin, pan: pan)
        case .bypassed:
            guard terminal.mayBypassPIN else { throw .paymentMethodCollection(.commandCanceled(from: .reader)) }
            return nil
        case .canceled: throw .paymentMethodCollection(.commandCanceled(from: .reader))
        case .unavailable: return nil
        }
    }
}
