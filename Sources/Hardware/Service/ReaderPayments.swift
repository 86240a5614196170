internal import Amounts
internal import Determinism
internal import EMV
internal import SmartCard

/// The payments at the connected reader, one at a time, and what can be made of the last one.
actor ReaderPayments {
    /// What every payment needs beside its own parameters.
    struct Surroundings: Sendable {
        let host: any PaymentHost
        /// For the currency of the payment.
        let terminal: @Sendable (Currency) -> TerminalConfiguration
        let magneticStripe: MagneticStripePolicy
        let cardholder: any CardholderInterface
        let history: (any CardHistory)?
        let time: any TimeSource
        let random: any RandomSource
        let trace: (@Sendable (TraceEntry) -> Void)?
    }

    private enum Last {
        case none
        case succeeded
        case failed(PaymentIntentParameters, EventRelay.Handler, CardReaderServiceError)
    }

    private let connection: ReaderConnection
    private let surroundings: Surroundings
    private let events: EventRelay
    private var running: Task<Result<PaymentIntent, CardReaderServiceError>, Never>?
    private var last = Last.none
    /// How many need the reader for something else.
    private var holders = 0

    /// How long a card may stay in the reader after a payment before waiting for it is given up.
    private static let removalTimeout = Duration.seconds(30)

    init(_ connection: ReaderConnection, _ surroundings: Surroundings, events: EventRelay) {
        (self.connection, self.surroundings, self.events) = (connection, surroundings, events)
    }

    /// Takes a payment; see ``CardReaderService/capturePayment(_:onEvent:)``.
    func capture(
        _ parameters: PaymentIntentParameters, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard running == nil else { throw .intentCreation(.readerBusy("a payment is running")) }
        guard holders == 0 else { throw .intentCreation(.readerBusy("its firmware is being updated")) }
        let task = Task { await self.run(parameters, onEvent) }
        running = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Takes up the last payment; see ``CardReaderService/retryActivePaymentIntent(key:stan:)``.
    func retry(key: IdempotencyKey, stan: UInt32) async throws(CardReaderServiceError) -> PaymentIntent {
        guard running == nil else { throw .retryNotPossibleProcessingInProgress }
        switch last {
        case .none: throw .retryNotPossibleNoActivePayment
        case .succeeded: throw .retryNotPossibleActivePaymentSucceeded
        case .failed(_, _, .paymentMethodCollection(.commandCancelled)):
            throw .retryNotPossibleActivePaymentCancelled
        case .failed(var parameters, let handler, .paymentMethodCollection):
            guard key != parameters.key else { throw .retryNotPossibleActivePaymentAnswered }
            (parameters.key, parameters.stan) = (key, stan)
            return try await capture(parameters, onEvent: handler)
        case .failed: throw .retryNotPossibleActivePaymentAnswered
        }
    }

    /// Keeps payments from beginning, until ``release()``.
    ///
    /// - Returns: false when one is running; then nothing is kept.
    func hold() -> Bool {
        guard running == nil else { return false }
        holders += 1
        return true
    }

    /// Ends what ``hold()`` began.
    func release() { holders -= 1 }

    /// Cancels the running payment; returns when the reader is idle.
    func cancel() async {
        guard let task = running else { return }
        task.cancel()
        _ = await task.value
    }

    /// Forgets the last payment.
    func forget() { last = .none }

    /// Waits until the card that was used is out of the reader.
    ///
    /// - Throws: ``CardReaderServiceError/paymentMethodCollection(_:)``
    func waitForCardRemoval() async throws(CardReaderServiceError) {
        // A payment that went well is recorded by now: there is time to look at the battery.
        await connection.checkBattery()
        guard await connection.cardIsUsed, let reader = await connection.session else { return }
        let isRemoved: Bool
        do throws(UnderlyingError) {
            isRemoved = try await reader.waitForCard(present: false, timeout: Self.removalTimeout)
        } catch {
            throw .paymentMethodCollection(error)
        }
        guard isRemoved else { throw .paymentMethodCollection(.cardLeftInReader) }
        await connection.noteCard(isUsed: false, in: reader)
        events.send(.cardRemoved)
    }

    // MARK: One payment

    private func run(
        _ parameters: PaymentIntentParameters, _ onEvent: @escaping EventRelay.Handler
    ) async -> Result<PaymentIntent, CardReaderServiceError> {
        var result: Result<PaymentIntent, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            result = .success(try await perform(parameters, onEvent))
        } catch {
            result = .failure(error)
        }
        // Here and not by whoever waits for the payment, to cancel it or for its result: they find the reader idle.
        running = nil
        events.setHandler(nil)
        switch result {
        case .success: last = .succeeded
        // It never began.
        case .failure(.intentCreation): break
        case .failure(let error): last = .failed(parameters, onEvent, error)
        }
        return result
    }

    private func perform(
        _ parameters: PaymentIntentParameters, _ onEvent: @escaping EventRelay.Handler
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard parameters.amount.minorUnits > 0 else {
            throw .intentCreation(.invalidAmount("a payment is more than zero"))
        }
        let reader: any CardReaderSession
        do throws(UnderlyingError) {
            reader = try await connection.readySession()
        } catch {
            throw .intentCreation(error)
        }
        events.setHandler(onEvent)
        let connection = connection
        let run = PaymentRun(
            reader: reader, host: surroundings.host, terminal: surroundings.terminal(parameters.amount.currency),
            magneticStripe: surroundings.magneticStripe, cardholder: surroundings.cardholder,
            history: surroundings.history, time: surroundings.time,
            random: surroundings.random, trace: surroundings.trace, events: events, parameters: parameters,
            onCardTaken: { await connection.noteCard(isUsed: true, in: reader) })
        do throws(CardReaderServiceError) {
            try await askForUsedCard(reader)
            return try await run.perform()
        } catch {
            throw await explain(error, reader)
        }
    }

    /// A card that has been through a payment is not taken for the next one's.
    private func askForUsedCard(_ reader: any CardReaderSession) async throws(CardReaderServiceError) {
        guard await connection.cardIsUsed else { return }
        do throws(UnderlyingError) {
            guard try await !reader.waitForCard(present: false, timeout: .zero) else {
                return await connection.noteCard(isUsed: false, in: reader)
            }
        } catch {
            throw .paymentMethodCollection(error)
        }
        events.send(.removeCardRequested)
        try await waitForCardRemoval()
    }

    /// A reader that went away shows itself in many errors: all of them are told as what they are.
    private func explain(
        _ error: CardReaderServiceError, _ reader: any CardReaderSession
    ) async -> CardReaderServiceError {
        switch error {
        case .paymentMethodCollection(let cause) where cause.isOfReader:
            return await connection.noteLoss(of: reader).map { .paymentMethodCollection($0) } ?? error
        case .paymentCaptureWithPaymentMethod(let cause, let details) where cause.isOfReader:
            return await connection.noteLoss(of: reader).map { .paymentCaptureWithPaymentMethod($0, details) } ?? error
        default: return error
        }
    }
}
