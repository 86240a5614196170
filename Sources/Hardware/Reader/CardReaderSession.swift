public import MSR
public import SmartCard

/// An open card reader: what a payment does with it, however it is attached.
///
/// One task at a time exchanges with the card. ``close()`` may be called from any task and more than once.
public protocol CardReaderSession: AnyObject, Sendable {
    /// The ways in which a card can be presented now. Asked before each payment.
    func inputs() async -> CardReaderInput

    /// Why stripes are not taken although there is a reader for them, as of the last call of ``inputs()``; nil when they
    /// are, or when there is none.
    var stripeFault: UnderlyingError? { get }

    /// A card is about to be asked for: a swipe from now on is kept for ``swipe()``, one before is not.
    func expectSwipe()

    /// Waits for a card to be swiped, until the task is cancelled.
    ///
    /// - Throws: ``UnderlyingError``: the reader failed, has no head for stripes, or the task was cancelled.
    func swipe() async throws(UnderlyingError) -> Swipe

    /// Waits until a card is in the reader, or until it is gone.
    ///
    /// - Parameters:
    ///   - present: what to wait for.
    ///   - timeout: the longest wait; the slot is looked at once in any case.
    /// - Returns: whether it happened in time.
    /// - Throws: ``UnderlyingError``: the reader failed, or the task was cancelled.
    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool

    /// Powers the card and agrees on a protocol with it. The channel is valid until the card leaves, is powered
    /// again or off, or an exchange fails.
    func powerOn() async throws(UnderlyingError) -> any CardChannel

    /// Takes the power from the card, in a cancelled task too. A reader that cannot is no matter: the card comes out.
    func powerOff() async

    /// The charge of the reader's battery, 0...1; nil for a reader that has none or does not tell. Works in a
    /// cancelled task too.
    func batteryLevel() async -> Double?

    /// Asks the reader whether it still takes commands. Works in a cancelled task too.
    ///
    /// - Returns: why it is lost; nil when it is not.
    func loss() async -> DisconnectReason?

    /// Has somebody told what is done when the reader does not answer.
    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void)

    /// Ends what runs, switches cards off and gives the reader back.
    func close() async
}

extension CardReaderSession {
    /// A session with nothing to tell: what happens below it is another program's business.
    public func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) {}
}

/// A reader for chip cards alone.
extension CardReaderSession {
    public func inputs() async -> CardReaderInput { .insert }

    public var stripeFault: UnderlyingError? { nil }

    public func expectSwipe() {}

    public func swipe() async throws(UnderlyingError) -> Swipe {
        throw .featureNotAvailable("this reader takes no magnetic stripes")
    }
}
