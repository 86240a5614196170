/// A card reader and the payments that it takes.
///
/// Every call completes exactly once. A cancel returns only when the reader is idle again, and is
/// legal at any time, also before there is anything to cancel.
///
/// The streams that tell of a state give the current value first to every subscriber; the stream of
/// events gives what happens from the subscription on.
public protocol CardReaderService: Sendable {
    /// The readers that are plugged in, while discovery runs; empty when it does not.
    var discoveredReaders: AsyncStream<[CardReader]> { get async }

    /// The connected reader, as a list of none or one.
    var connectedReaders: AsyncStream<[CardReader]> { get async }

    /// What happens at the reader.
    var readerEvents: AsyncStream<CardReaderEvent> { get async }

    /// What is done to get a reader back that was lost.
    var reconnectionStates: AsyncStream<CardReaderReconnectionState> { get async }

    /// The state of a firmware update.
    var softwareUpdateEvents: AsyncStream<CardReaderSoftwareUpdateState> { get async }

    /// Whether this machine can use readers of this kind, found in this way.
    func checkSupport(for readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod) async -> Bool

    /// Begins to look for readers.
    func start(_ discoveryMethod: CardReaderDiscoveryMethod) async throws(CardReaderServiceError)

    /// Ends looking for readers.
    func cancelDiscovery() async

    /// Opens a reader that was discovered.
    func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader

    /// Closes the connected reader, after what runs on it has been cancelled. Gives up a lost one.
    func disconnect() async throws(CardReaderServiceError)

    /// Gives up getting a lost reader back. Succeeds when none was lost.
    func cancelReconnection() async

    /// Forgets everything: cancels, disconnects, ends discovery.
    func clear() async

    /// Waits until no card is in the reader, and asks for its removal when there is one.
    func waitForInsertedCardToBeRemoved() async throws(CardReaderServiceError)

    /// Takes a payment: waits for a card, runs the kernel, asks the host.
    ///
    /// - Parameters:
    ///   - parameters: what is to be paid.
    ///   - onEvent: gets what happens, in order, before the call returns; ``readerEvents`` gets it too.
    /// - Returns: the intent with status ``PaymentIntentStatus/requiresCapture``: money is authorised.
    /// - Throws: ``CardReaderServiceError``; a decline carries the card's data for the receipt.
    func capturePayment(
        _ parameters: PaymentIntentParameters, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CardReaderServiceError) -> PaymentIntent

    /// Takes up the last payment when it failed before anything was sent.
    ///
    /// - Parameters:
    ///   - key: the new attempt's own key: the old one is over in the caller's journal.
    ///   - stan: the new attempt's system trace audit number, 1...999,999.
    /// - Returns: as ``capturePayment(_:onEvent:)``.
    /// - Throws: why it cannot be taken up, and what ``capturePayment(_:onEvent:)`` throws.
    func retryActivePaymentIntent(
        key: IdempotencyKey, stan: UInt32
    ) async throws(CardReaderServiceError) -> PaymentIntent

    /// Cancels the running payment. Returns when the reader is idle; the payment's own call then fails
    /// with the cancellation, or has ended before it.
    func cancelPaymentIntent() async throws(CardReaderServiceError)

    /// Gives money back for a captured payment.
    func refundPayment(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> RefundResult

    /// Cancels a running refund that has not been sent yet.
    func cancelRefund() async throws(CardReaderServiceError)

    /// Installs an available firmware update; progress comes through ``softwareUpdateEvents``. A required one is installed
    /// by ``connect(_:)``.
    func installUpdate() async throws(CardReaderServiceError)

    /// Cancels a firmware update that is running, in ``connect(_:)`` too. Returns when the reader works as before.
    ///
    /// - Throws: ``UnderlyingError/softwareUpdateNotCancellable``: nothing is running, or the reader would be left without
    ///   firmware.
    func cancelUpdate() async throws(CardReaderServiceError)
}
