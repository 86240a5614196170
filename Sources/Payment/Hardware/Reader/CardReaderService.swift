public import Payments

/// A card reader service, and the payments at its reader.
///
/// Every call completes exactly once. A cancellation returns only after the reader is idle again, and is allowed at any
/// time, even before there is anything to cancel.
///
/// The streams of a state begin with the current value for every subscriber; the stream of events begins with the
/// subscription.
public protocol CardReaderService: Sendable {
    /// The readers that are present, while discovery runs; empty otherwise.
    var discoveredReaders: AsyncStream<[CardReader]> { get async }

    /// The connected reader, as a list of none or one.
    var connectedReaders: AsyncStream<[CardReader]> { get async }

    /// The events of the connected reader.
    var readerEvents: AsyncStream<CardReaderEvent> { get async }

    /// The state of the reconnection of a lost reader.
    var reconnectionStates: AsyncStream<CardReaderReconnectionState> { get async }

    /// The state of a firmware update.
    var softwareUpdateEvents: AsyncStream<CardReaderSoftwareUpdateState> { get async }

    /// Returns whether this machine supports readers of this type, found by this method.
    func checkSupport(for readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod) async -> Bool

    /// Starts the discovery of readers.
    func start(_ discoveryMethod: CardReaderDiscoveryMethod) async throws(CardReaderServiceError)

    /// Stops the discovery of readers.
    func cancelDiscovery() async

    /// Opens a discovered reader.
    func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader

    /// Cancels running operations and closes the connected reader. Cancels the reconnection of a lost reader.
    func disconnect() async throws(CardReaderServiceError)

    /// Cancels the reconnection of a lost reader. Succeeds when none was lost.
    func cancelReconnection() async

    /// Resets the service: cancels operations, disconnects the reader, and stops the discovery.
    func clear() async

    /// Waits until no card is in the reader, and asks for its removal if there is one.
    func waitForInsertedCardToBeRemoved() async throws(CardReaderServiceError)

    /// Takes a payment: waits for a card, runs the kernel, and requests the authorization.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the payment.
    ///   - onEvent: Receives the events, in order, before the call returns; ``readerEvents`` receives them as well.
    /// - Returns: The intent with the status ``PaymentIntentStatus/requiresCapture``: the payment is authorized.
    /// - Throws: ``CardReaderServiceError``; a decline includes the card's data for the receipt.
    func capturePayment(
        _ parameters: PaymentIntentParameters, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CardReaderServiceError) -> PaymentIntent

    /// Retries the last payment, if it failed before anything was sent.
    ///
    /// - Parameters:
    ///   - key: The key of the new attempt: the old attempt has ended in the caller's journal.
    ///   - stan: The system trace audit number of the new attempt, 1...999,999.
    /// - Returns: As ``capturePayment(_:onEvent:)``.
    /// - Throws: Why the payment cannot be retried, and the errors of ``capturePayment(_:onEvent:)``.
    func retryActivePaymentIntent(
        key: IdempotencyKey, stan: UInt32
    ) async throws(CardReaderServiceError) -> PaymentIntent

    /// Cancels the running payment. Returns when the reader is idle; the call of the payment then throws the
    /// cancellation, unless it has ended before.
    func cancelPaymentIntent() async throws(CardReaderServiceError)

    /// Refunds a captured payment.
    func refundPayment(_ request: HostRefundRequest) async throws(CardReaderServiceError) -> RefundResult

    /// Cancels a running refund that has not been sent yet.
    func cancelRefund() async throws(CardReaderServiceError)

    /// Installs an available firmware update; ``softwareUpdateEvents`` reports the progress. ``connect(_:)`` installs
    /// required updates.
    func installUpdate() async throws(CardReaderServiceError)

    /// Cancels a running firmware update, including one in ``connect(_:)``. Returns when the reader works as before.
    ///
    /// - Throws: ``UnderlyingError/softwareUpdateNotCancellable``: no update is running, or the reader would be left
    ///   without firmware.
    func cancelUpdate() async throws(CardReaderServiceError)
}

/// An error of the service, by the operation that failed.
public enum CardReaderServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    case discovery(UnderlyingError)
    case connection(UnderlyingError)
    case disconnection(UnderlyingError)
    case intentCreation(UnderlyingError)
    /// Nothing was sent to the host: no money moved.
    case paymentMethodCollection(UnderlyingError)
    /// The payment was declined. The card's data is for the receipt.
    case paymentCaptureWithPaymentMethod(UnderlyingError, CardDetails)
    /// The host may have moved money, and neither an answer nor the confirmation of a reversal arrived.
    case paymentOutcomeUnknown(UnderlyingError, CardDetails?)
    case refundCreation(UnderlyingError)
    case refundPayment(UnderlyingError, shouldRetry: Bool)
    /// The host may have moved the money.
    case refundOutcomeUnknown(UnderlyingError)
    case softwareUpdate(UnderlyingError)
    case retryNotPossibleNoActivePayment
    case retryNotPossibleActivePaymentCanceled
    case retryNotPossibleActivePaymentSucceeded
    case retryNotPossibleProcessingInProgress
    /// The host has answered the attempt: another try needs a new key.
    case retryNotPossibleActivePaymentAnswered

    /// The cause; nil when the case has none.
    public var underlying: UnderlyingError? {
        switch self {
        case .discovery(let error), .connection(let error), .disconnection(let error), .intentCreation(let error),
            .paymentMethodCollection(let error), .paymentCaptureWithPaymentMethod(let error, _),
            .paymentOutcomeUnknown(let error, _), .refundCreation(let error), .refundPayment(let error, _),
            .refundOutcomeUnknown(let error), .softwareUpdate(let error):
            error
        case .retryNotPossibleNoActivePayment, .retryNotPossibleActivePaymentCanceled,
            .retryNotPossibleActivePaymentSucceeded, .retryNotPossibleProcessingInProgress,
            .retryNotPossibleActivePaymentAnswered:
            nil
        }
    }

    public var description: String {
        switch self {
        case .paymentOutcomeUnknown(let error, _), .refundOutcomeUnknown(let error):
            "the outcome is unknown: \(error)"
        case .retryNotPossibleNoActivePayment: "there is no payment to retry"
        case .retryNotPossibleActivePaymentCanceled: "the payment was canceled and cannot be retried"
        case .retryNotPossibleActivePaymentSucceeded: "the payment has already succeeded"
        case .retryNotPossibleProcessingInProgress: "the payment is being processed"
        case .retryNotPossibleActivePaymentAnswered: "the host has already answered the payment: start a new attempt"
        default: underlying.map(String.init(describing:)) ?? "the card reader failed"
        }
    }
}
