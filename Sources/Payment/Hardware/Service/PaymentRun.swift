import CardSecrets
import Determinism
import EMV
import MagneticStripe
import Payments
import SmartCard

/// One payment at a connected reader, from the wait for a card to the final outcome.
struct PaymentRun: Sendable {
    let reader: any CardReaderSession
    let dependencies: ReaderPayments.PaymentDependencies
    let terminal: TerminalConfiguration
    let events: EventRelay
    let parameters: PaymentIntentParameters
    /// Called with the input when a card is in the reader: from then on it belongs to this payment only.
    let onCardTaken: @Sendable (CardReaderInput) async -> Void

    /// How long to wait for the removal of a card whose chip was not read.
    private static let removalTimeout = Duration.seconds(30)

    /// The result of one presented card.
    private enum Attempt {
        case completed(PaymentIntent)
        /// The card must be presented again, possibly on another input.
        case again
    }

    func perform() async throws(CardReaderServiceError) -> PaymentIntent {
        let created = dependencies.time.now()
        var entry = CardEntry(await reader.inputs(), dependencies.magneticStripe)
        if let fault = reader.stripeFault {
            events.send(.displayMessage("Magnetic stripes are not read: \(fault)."))
        }
        if let obstacle = parameters.offlineObstacle, terminal.type.connectivity != .onlineOnly {
            events.send(.displayMessage("Payments go online only: \(obstacle)."))
        }
        var tap = try await beginTap(&entry, created: created)
        do throws(CardReaderServiceError) {
            let intent = try await collect(&entry, &tap, created: created)
            await tap?.close()
            return intent
        } catch {
            await tap?.close()
            throw error
        }
    }

    private func collect(
        _ entry: inout CardEntry, _ tap: inout ContactlessRun?, created: Timestamp
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        while true {
            guard !entry.inputs.isEmpty else { throw .paymentMethodCollection(.tappedCardNeedsContacts) }
            let wait = CardWait(
                reader: reader, time: dependencies.time, timeout: parameters.cardTimeout, field: tap)
            if entry.inputs.contains(.swipe) { reader.expectSwipe() }
            // A card may be presented before the wait begins.
            let asked = dependencies.time.reading()
            events.send(.waitingForInput(entry.inputs))
            let presented: CardWait.Presented
            do throws(UnderlyingError) {
                presented = try await wait.next(entry.inputs, since: asked)
            } catch {
                throw .paymentMethodCollection(error)
            }
            let attempt =
                switch presented {
                case .inserted: try await readChip(&entry, &tap, created: created)
                case .swiped(let swipe): try await read(swipe, &entry, tap, created: created)
                case .tapped(let event): try await take(event, &entry, &tap)
                }
            if case .completed(let intent) = attempt { return intent }
        }
    }

    // MARK: Tap

    /// Begins the contactless side of the payment, if the reader and the terminal have one, and lets cards be tapped.
    private func beginTap(
        _ entry: inout CardEntry, created: Timestamp
    ) async throws(CardReaderServiceError) -> ContactlessRun? {
        guard entry.available.contains(.tap) else { return nil }
        guard let field = reader.contactlessField,
            let run = ContactlessRun(
                dependencies, field: field, terminal: terminal(for: entry), events: events, parameters: parameters,
                created: created)
        else {
            entry.closeField()
            return nil
        }
        do throws(UnderlyingError) {
            if try await run.begin() { return run }
        } catch {
            await run.close()
            guard entry.available != .tap else { throw .paymentMethodCollection(error) }
            events.send(.displayMessage("Cards can't be tapped: \(error)."))
        }
        entry.closeField()
        return nil
    }

    private func take(
        _ event: FieldEvent, _ entry: inout CardEntry, _ tap: inout ContactlessRun?
    ) async throws(CardReaderServiceError) -> Attempt {
        guard var run = tap else { return .again }
        if case .card = event { await onCardTaken(.tap) }
        let result = try await run.take(event)
        tap = run
        switch result {
        case .completed(let intent): return .completed(intent)
        case .waits: return .again
        case .needsAnotherInterface:
            await closeField(&entry, run)
            return .again
        }
    }

    /// Closes the field, because another input has a card or needs one.
    private func closeField(_ entry: inout CardEntry, _ tap: ContactlessRun?) async {
        guard let tap, entry.available.contains(.tap) else { return }
        entry.closeField()
        try? await tap.stop()
        await tap.close()
    }

    // MARK: Chip

    private func readChip(
        _ entry: inout CardEntry, _ tap: inout ContactlessRun?, created: Timestamp
    ) async throws(CardReaderServiceError) -> Attempt {
        await closeField(&entry, tap)
        events.send(.cardInserted)
        await onCardTaken(.insert)
        let channel: any CardChannel
        do throws(UnderlyingError) {
            channel = try await reader.powerOn()
        } catch {
            await reader.powerOff()
            events.send(error == .cardRemoved ? .cardRemoved : .removeCardRequested)
            return try await chipFailed(error, &entry)
        }
        guard reader.fieldOfInsertedCard == nil else {
            // The card stays where it is, and is read as a tapped one.
            await reader.powerOff()
            entry.slotIsField()
            tap = try await beginTap(&entry, created: created)
            return .again
        }
        let date = dependencies.time.localDate()
        let authorizer = HostAuthorizer(host: dependencies.host, parameters: parameters, date: date, events: events)
        let kernel = ContactKernel(
            terminal: terminal(for: entry), cardholder: dependencies.cardholder, authorizer: authorizer,
            history: dependencies.history,
            random: dependencies.random)
        let request = TransactionRequest(
            amount: parameters.amount, date: date, utc: dependencies.time.now().civil(offsetSeconds: 0),
            sequenceCounter: parameters.stan,
            accountType: parameters.accountType?.code,
            forcedOnline: parameters.forcedOnline || parameters.authorizesOnly,
            allowsOfflineApproval: parameters.offlineObstacle == nil, keepsCard: dependencies.host.sealsCardData)
        let outcome = await kernel.run(request, on: traced(channel)) { [events] state in events.send(.kernel(state)) }
        // The card is no longer needed: it may be removed at any time from here on.
        await reader.powerOff()
        events.send(outcome.decision == .terminated(.channel(.cardRemoved)) ? .cardRemoved : .removeCardRequested)
        if let failure = outcome.chipFailure { return try await chipFailed(failure, &entry) }
        let completion = PaymentCompletion(
            outcome: outcome, exchange: await authorizer.exchange, parameters: parameters, host: dependencies.host,
            created: created)
        return .completed(try await completion.complete())
    }

    /// Handles a chip that could not be read: retries the chip, and finally asks for the stripe, where that is allowed.
    private func chipFailed(
        _ error: UnderlyingError, _ entry: inout CardEntry
    ) async throws(CardReaderServiceError) -> Attempt {
        // A disconnected reader may look like a silent card.
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

    /// Returns the terminal configuration with the stripe reader's capability (9F33).
    private func terminal(for entry: CardEntry) -> TerminalConfiguration {
        entry.available.contains(.swipe) ? terminal.adding(capabilities: .magneticStripe) : terminal
    }

    private func traced(_ channel: any CardChannel) -> any CardChannel {
        guard let trace = dependencies.trace else { return channel }
        return TracingCardChannel(channel, record: trace)
    }

    // MARK: Stripe

    private func read(
        _ swipe: Swipe, _ entry: inout CardEntry, _ tap: ContactlessRun?, created: Timestamp
    ) async throws(CardReaderServiceError) -> Attempt {
        events.send(.cardSwiped)
        let card: SwipedCard
        do throws(SwipedCardError) {
            card = try SwipedCard(swipe.stripe)
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
        await closeField(&entry, tap)
        let date = dependencies.time.localDate()
        let run = MagneticStripeRun(
            dependencies: dependencies, terminal: terminal, events: events,
            authorizer: HostAuthorizer(host: dependencies.host, parameters: parameters, date: date, events: events),
            parameters: parameters, date: date, created: created)
        return .completed(try await run.perform(card))
    }
}

extension KernelOutcome {
    /// Why the chip counts as unreadable: it stopped answering before it offered an application, as a dirty or damaged
    /// chip does. Nil when the card answered at all, and when it was removed.
    fileprivate var chipFailure: UnderlyingError? {
        guard application == nil, case .terminated(let error) = decision, case .channel(let cause) = error else {
            return nil
        }
        switch cause {
        case .cardMute, .timedOut, .protocolViolation: return UnderlyingError(error)
        case .cardRemoved, .readerUnavailable, .notSupported, .canceled: return nil
        }
    }
}
