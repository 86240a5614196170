public import MagneticStripe
public import SmartCard

/// An open card reader, as a payment uses it, independent of its connection.
///
/// Only one task at a time may exchange data with the card. ``close()`` may be called from any task and more than once.
public protocol CardReaderSession: AnyObject, Sendable {
    /// Returns the inputs that can accept a card now. Called before each payment.
    func inputs() async -> CardReaderInput

    /// Why the stripe reader cannot be used, as of the last call of ``inputs()``; nil when it can, or when there is
    /// none.
    var stripeFault: UnderlyingError? { get }

    /// The field of the contactless slot, as of the last call of ``inputs()``; nil when there is none.
    var contactlessField: (any ContactlessField)? { get }

    /// The field in which the card is that ``powerOn()`` has powered last, when the reader turned out to be contactless
    /// by the answer to reset that it made; nil for a card with contacts. Until the next card it is
    /// ``contactlessField``, too.
    var fieldOfInsertedCard: (any ContactlessField)? { get }

    /// Prepares for a swipe: swipes from now on are kept for ``swipe()``, earlier ones are discarded.
    func expectSwipe()

    /// Waits for a swipe, until the task is canceled.
    ///
    /// - Throws: ``UnderlyingError``: the reader failed, has no stripe reader, or the task was canceled.
    func swipe() async throws(UnderlyingError) -> Swipe

    /// Waits until a card is inserted, or until it is removed.
    ///
    /// - Parameters:
    ///   - present: Whether to wait for the insertion or for the removal.
    ///   - timeout: The longest wait; the slot is queried at least once.
    /// - Returns: Whether it happened in time.
    /// - Throws: ``UnderlyingError``: the reader failed, or the task was canceled.
    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool

    /// Powers the card on and negotiates a protocol. The channel is valid until the card is removed, powered on or off
    /// again, or an exchange fails.
    func powerOn() async throws(UnderlyingError) -> any CardChannel

    /// Powers the card off, even in a canceled task. Errors are ignored: the card will be removed.
    func powerOff() async

    /// Returns the charge of the reader's battery, 0...1; nil when it has none or does not report it. Works in a
    /// canceled task as well.
    func batteryLevel() async -> Double?

    /// Checks whether the reader still accepts commands. Works in a canceled task as well.
    ///
    /// - Returns: Why the reader is lost; nil when it is not.
    func loss() async -> DisconnectReason?

    /// Sets the observer of the reader's recovery steps.
    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void)

    /// Cancels running operations, powers cards off, and releases the reader.
    func close() async
}

extension CardReaderSession {
    /// Does nothing: in this session, another program recovers the reader.
    public func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) {}
}

/// Defaults for a pure chip card reader.
extension CardReaderSession {
    public func inputs() async -> CardReaderInput { .insert }

    public var stripeFault: UnderlyingError? { nil }

    public var contactlessField: (any ContactlessField)? { nil }

    public var fieldOfInsertedCard: (any ContactlessField)? { nil }

    public func expectSwipe() {}

    public func swipe() async throws(UnderlyingError) -> Swipe {
        throw .featureNotAvailable("this reader has no magnetic stripe reader")
    }
}

/// Detects when a battery level becomes low, and when it recovers. A value without I/O.
struct BatteryAlarm {
    private var isLow = false

    /// Processes a battery level.
    ///
    /// - Parameter level: 0...1; nil when unknown.
    /// - Returns: The event to publish; nil when nothing changed.
    mutating func take(_ level: Double?) -> CardReaderEvent? {
        guard let level else { return nil }
        let wasLow = isLow
        isLow = level <= BatteryQuery.lowLevel
        guard isLow != wasLow else { return nil }
        return isLow ? .lowBattery(level) : .lowBatteryResolved(level)
    }
}

/// The command that queries a reader's battery. CCID defines none: some vendors use their own Escape commands (CCID 1.1
/// §6.1.8), and ``all`` has an entry for each supported reader.
struct BatteryQuery: Hashable, Sendable {
    /// USB vendor and product, four hexadecimal digits each: `1209:0004`.
    let usbID: String
    /// The data of the Escape command.
    let command: [UInt8]
    /// The first bytes of the answer, before the byte with the charge in percent.
    let answerPrefix: [UInt8]

    static let all = [
        // The simulated readers with a battery: test identifiers of pid.codes.
        BatteryQuery(usbID: "1209:0004", command: [0x42, 0x41, 0x54], answerPrefix: [0x42, 0x41, 0x54]),
        BatteryQuery(usbID: "1209:000d", command: [0x42, 0x41, 0x54], answerPrefix: [0x42, 0x41, 0x54]),
    ]

    /// The level at which a battery is low.
    static let lowLevel = 0.2

    /// - Parameter usbID: Vendor and product.
    /// - Returns: Nil for a reader that is not known to have a battery.
    static func of(_ usbID: String?) -> BatteryQuery? { all.first { $0.usbID == usbID } }

    /// Returns the level from an answer, 0...1; nil when the answer is not valid.
    func level(in answer: [UInt8]) -> Double? {
        guard answer.count == answerPrefix.count + 1, answer.starts(with: answerPrefix),
            let percent = answer.last, percent <= 100
        else { return nil }
        return Double(percent) / 100
    }
}
