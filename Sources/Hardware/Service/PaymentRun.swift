internal import Amounts
internal import CardSecrets
internal import Determinism
internal import EMV
internal import MSR
internal import MagneticStripe
internal import SmartCard

/// One payment at a connected reader, from the wait for a card to the settled outcome.
struct PaymentRun: Sendable {
    let reader: any CardReaderSession
    let host: any PaymentHost
    let terminal: TerminalConfiguration
    let magneticStripe: MagneticStripePolicy
    let cardholder: any CardholderInterface
    let history: (any CardHistory)?
    let time: any TimeSource
    let random: any RandomSource
    let trace: (@Sendable (TraceEntry) -> Void)?
    let events: EventRelay
    let parameters: PaymentIntentParameters
    /// Told when a card is in the reader: from then on it is this payment's, and no other's.
    let onCardTaken: @Sendable () async -> Void

    /// How long a card whose chip was not read may stay in the reader.
    private static let removalTimeout = Duration.seconds(30)

    /// How a card that was presented came out.
    private enum Attempt {
        case settled(PaymentIntent)
        /// The card is to be presented again, perhaps in another way.
        case again
    }

    func perform() async throws(CardReaderServiceError) -> PaymentIntent {
        let created = time.now()
        var entry = CardEntry(await reader.inputs(), magneticStripe)
        if let fault = reader.stripeFault {
            events.send(.displayMessage("Magnetic stripes are not read: \(fault)."))
        }
        let wait = CardWait(reader: reader, time: time, timeout: parameters.cardTimeout)
        while true {
            if entry.inputs.contains(.swipe) { reader.expectSwipe() }
            // A card may come before the wait for it begins.
            let asked = time.now()
            events.send(.waitingForInput(entry.inputs))
            let presented: CardWait.Presented
            do throws(UnderlyingError) {
                presented = try await wait.next(entry.inputs, since: asked)
            } catch {
                throw .paymentMethodCollection(error)
            }
            let attempt =
                switch presented {
                case .inserted: try await readChip(&entry, created: created)
                case .swiped(let swipe): try await read(swipe, &entry, created: created)
                }
            if case .settled(let intent) = attempt { return intent }
        }
    }

    // MARK: Chip

    private func readChip(
        _ entry: inout CardEntry, created: Timestamp
    ) async throws(CardReaderServiceError) -> Attempt {
        events.send(.cardInserted)
        await onCardTaken()
        let channel: any CardChannel
        do throws(UnderlyingError) {
            channel = try await reader.powerOn()
        } catch {
            await reader.powerOff()
            events.send(error == .cardRemoved ? .cardRemoved : .removeCardRequested)
            return try await chipFailed(error, &entry)
        }
        let date = time.localDate()
        let authorizer = HostAuthorizer(host: host, parameters: parameters, date: date, events: events)
        let kernel = ContactKernel(
            terminal: terminal(for: entry), cardholder: cardholder, authorizer: authorizer, history: history,
            random: random)
        let request = TransactionRequest(
            amount: parameters.amount, date: date, sequenceCounter: parameters.stan,
            accountType: parameters.accountType?.code,
            forcedOnline: parameters.forcedOnline)
        let outcome = await kernel.run(request, on: traced(channel)) { [events] state in events.send(.kernel(state)) }
        // The card has said all that it will: it may be taken out whatever comes next.
        await reader.powerOff()
        events.send(outcome.decision == .terminated(.channel(.cardRemoved)) ? .cardRemoved : .removeCardRequested)
        if let failure = outcome.chipFailure { return try await chipFailed(failure, &entry) }
        let settlement = PaymentSettlement(
            outcome: outcome, exchange: await authorizer.exchange, parameters: parameters, host: host,
            created: created)
        return .settled(try await settlement.settle())
    }

    /// The chip could not be read. It is tried again, and at last the stripe, where that is allowed.
    private func chipFailed(
        _ error: UnderlyingError, _ entry: inout CardEntry
    ) async throws(CardReaderServiceError) -> Attempt {
        // A reader that is gone may look like a card that says nothing.
        guard case .cardInsertNotRead = error, await reader.loss() == nil, entry.chipFailed() else {
            throw .paymentMethodCollection(error)
        }
        events.send(
            .displayMessage(
                entry.isFallback
                    ? "The chip cannot be read: take the card out and swipe it."
                    : "The chip cannot be read: take the card out and insert it again."))
        do throws(UnderlyingError) {
            guard try await reader.waitForCard(present: false, timeout: Self.removalTimeout) else {
                throw .cardLeftInReader
            }
        } catch {
            throw .paymentMethodCollection(error)
        }
        events.send(.cardRemoved)
        return .again
    }

    /// A terminal that can read a stripe says so (9F33).
    private func terminal(for entry: CardEntry) -> TerminalConfiguration {
        entry.available.contains(.swipe) ? terminal.adding(capabilities: .magneticStripe) : terminal
    }

    private func traced(_ channel: any CardChannel) -> any CardChannel {
        guard let trace else { return channel }
        return TracingCardChannel(channel, record: trace)
    }

    // MARK: Stripe

    private func read(
        _ swipe: Swipe, _ entry: inout CardEntry, created: Timestamp
    ) async throws(CardReaderServiceError) -> Attempt {
        events.send(.cardSwiped)
        let card: StripeCard
        do throws(StripeCardError) {
            card = try StripeCard(swipe.stripe)
        } catch {
            guard error != .encrypted else { throw .paymentMethodCollection(.readerIncompatible(error.description)) }
            guard entry.swipeFailed() else { throw .paymentMethodCollection(.cardSwipeNotRead(error.description)) }
            events.send(.displayMessage(error.description))
            return .again
        }
        guard !card.serviceCode.hasChip || entry.isFallback else {
            guard entry.chipCardSwiped() else { throw .paymentMethodCollection(.chipCardSwiped) }
            events.send(.displayMessage("\(UnderlyingError.chipCardSwiped)"))
            return .again
        }
        let date = time.localDate()
        let run = StripeRun(
            terminal: terminal, cardholder: cardholder, history: history, events: events,
            authorizer: HostAuthorizer(host: host, parameters: parameters, date: date, events: events), host: host,
            parameters: parameters, date: date, created: created)
        return .settled(try await run.perform(card))
    }
}

extension KernelOutcome {
    /// Why the chip counts as not read: it fell silent before it had even an application to offer, which is what a dirty
    /// or damaged one does. Nil when the card has answered, whatever it said, and when somebody took it out.
    fileprivate var chipFailure: UnderlyingError? {
        guard application == nil, case .terminated(let error) = decision, case .channel(let cause) = error else {
            return nil
        }
        switch cause {
        case .cardMute, .timedOut, .protocolViolation: return UnderlyingError(error)
        case .cardRemoved, .readerUnavailable, .notSupported, .cancelled: return nil
        }
    }
}
