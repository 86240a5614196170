import Determinism
import EMV
import Money
import Payments
import SmartCard

/// The payments at the connected reader, one at a time, and the retry of the last one.
actor ReaderPayments {
    /// The dependencies of every payment.
    struct PaymentDependencies: Sendable {
        let host: any PaymentHost
        /// Returns the kernel's configuration for the currency of the payment.
        let terminal: @Sendable (Currency) -> TerminalConfiguration
        let magneticStripe: MagneticStripePolicy
        let cardholder: any CardholderInterface
        let history: (any CardHistory)?
        let time: any TimeSource
        let random: any RandomSource
        let trace: (@Sendable (TraceEntry) -> Void)?
        let contactless: ContactlessTerminal?
    }

    private enum Last {
        case none
        case succeeded
        case failed(PaymentIntentParameters, EventRelay.Handler, CardReaderServiceError)
    }

    private let connection: ReaderConnection
    private let dependencies: PaymentDependencies
    private let events: EventRelay
    private var running: Task<Result<PaymentIntent, CardReaderServiceError>, Never>?
    private var last = Last.none
    /// The number of other operations that hold the reader.
    private var holders = 0

    /// How long to wait for the removal of a card after a payment.
    private static let removalTimeout = Duration.seconds(30)
    /// The time in which a reader sees a card that lies in its field when it is switched on.
    private static let fieldTime = Duration.milliseconds(500)

    init(_ connection: ReaderConnection, _ dependencies: PaymentDependencies, events: EventRelay) {
        (self.connection, self.dependencies, self.events) = (connection, dependencies, events)
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

    /// Retries the last payment; see ``CardReaderService/retryActivePaymentIntent(key:stan:)``.
    func retry(key: IdempotencyKey, stan: UInt32) async throws(CardReaderServiceError) -> PaymentIntent {
        guard running == nil else { throw .retryNotPossibleProcessingInProgress }
        switch last {
        case .none: throw .retryNotPossibleNoActivePayment
        case .succeeded: throw .retryNotPossibleActivePaymentSucceeded
        case .failed(_, _, .paymentMethodCollection(.commandCanceled)):
            throw .retryNotPossibleActivePaymentCanceled
        case .failed(var parameters, let handler, .paymentMethodCollection):
            guard key != parameters.key else { throw .retryNotPossibleActivePaymentAnswered }
            (parameters.key, parameters.stan) = (key, stan)
            return try await capture(parameters, onEvent: handler)
        case .failed: throw .retryNotPossibleActivePaymentAnswered
        }
    }

    /// Prevents payments from starting, until ``release()``.
    ///
    /// - Returns: False when a payment is running; then it has no effect.
    func hold() -> Bool {
        guard running == nil else { return false }
        holders += 1
        return true
    }

    /// Allows payments again after ``hold()``.
    func release() { holders -= 1 }

    /// Cancels the running payment; returns when the reader is idle.
    func cancel() async {
        guard let task = running else { return }
        task.cancel()
        _ = await task.value
    }

    /// Forgets the last payment.
    func forget() { last = .none }

    /// Waits until the used card is removed from the reader.
    ///
    /// - Throws: ``CardReaderServiceError/paymentMethodCollection(_:)``
    func waitForCardRemoval() async throws(CardReaderServiceError) {
        // A successful payment is recorded by now: there is time to query the battery.
        await connection.checkBattery()
        // A tapped card may stay as long as it likes: the field is off.
        guard await connection.usedInput == .insert, let reader = await connection.session else { return }
        let isRemoved: Bool
        do throws(UnderlyingError) {
            isRemoved = try await reader.waitForCard(present: false, timeout: Self.removalTimeout)
        } catch {
            throw .paymentMethodCollection(error)
        }
        guard isRemoved else { throw .paymentMethodCollection(.cardLeftInReader) }
        await connection.noteCard(nil, in: reader)
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
        // Cleared here and not by the callers that cancel or await the payment, so that they find the reader idle.
        running = nil
        events.setHandler(nil)
        switch result {
        case .success: last = .succeeded
        // The payment never started.
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
            reader: reader, dependencies: dependencies, terminal: dependencies.terminal(parameters.amount.currency),
            events: events, parameters: parameters,
            onCardTaken: { await connection.noteCard($0, in: reader) })
        do throws(CardReaderServiceError) {
            try await askForUsedCard(reader)
            return try await run.perform()
        } catch {
            throw await explain(error, reader)
        }
    }

    /// Asks for the removal of a card that was already used for a payment.
    private func askForUsedCard(_ reader: any CardReaderSession) async throws(CardReaderServiceError) {
        guard let input = await connection.usedInput else { return }
        do throws(UnderlyingError) {
            guard input == .insert else { return try await askForTappedCard(reader) }
            guard try await !reader.waitForCard(present: false, timeout: .zero) else {
                return await connection.noteCard(nil, in: reader)
            }
        } catch {
            throw .paymentMethodCollection(error)
        }
        events.send(.removeCardRequested)
        try await waitForCardRemoval()
    }

    /// Asks for the removal of a card that still lies in the field after an earlier payment: this one may be another
    /// customer's.
    private func askForTappedCard(_ reader: any CardReaderSession) async throws(UnderlyingError) {
        await connection.noteCard(nil, in: reader)
        guard let field = reader.contactlessField else { return }
        try await field.switchField(on: true)
        guard try await field.waitForCard(present: true, timeout: Self.fieldTime) else { return }
        events.send(.removeCardRequested)
        guard try await field.waitForCard(present: false, timeout: Self.removalTimeout) else { throw .cardLeftInReader }
        events.send(.cardRemoved)
    }

    /// Replaces the many errors that a lost reader can cause by the reason of its loss.
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

/// One refund: a single message to the host, and the result from its answer.
struct RefundRun: Sendable {
    let host: any PaymentHost
    let request: HostRefundRequest

    /// - Throws: ``CardReaderServiceError``
    func perform() async throws(CardReaderServiceError) -> RefundResult {
        guard request.amount.minorUnits > 0 else {
            throw .refundCreation(.invalidAmount("a refund is more than zero"))
        }
        guard !Task.isCancelled else { throw .refundPayment(.commandCanceled(from: .app), shouldRetry: true) }
        let (host, request) = (host, request)
        // Once a refund is sent, a cancellation must not lose its answer.
        let sending = Task { () -> Result<AuthorizationResponse, PaymentHostError> in
            do throws(PaymentHostError) {
                return .success(try await host.refund(request))
            } catch {
                return .failure(error)
            }
        }
        switch await sending.value {
        case .success(let response) where response.isApproved:
            return RefundResult(response)
        case .success(let response):
            let reason = DeclineReason(responseCode: response.responseCode)
            throw .refundPayment(.paymentDeclinedByPaymentProcessorAPI(reason), shouldRetry: reason.mayRetry)
        case .failure(.notSent(let reason)):
            throw .refundPayment(
                .notConnectedToInternet("the payment host cannot be reached: \(reason)"), shouldRetry: true)
        case .failure(.outcomeUnknown(let reason)):
            throw .refundOutcomeUnknown(.requestTimedOut("the payment host did not answer: \(reason)"))
        }
    }
}
