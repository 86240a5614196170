import SmartCard

/// A powered card, from its answer to reset until it leaves or fails.
struct CCIDCardSession {
    /// The number of this activation of the slot; a channel of an earlier one is invalid.
    let activation: UInt64
    /// The slot's count of removals when the card was powered.
    let removals: UInt64
    /// 0 or 1.
    let transmissionProtocol: UInt8
    /// For the card's answer to one block.
    let wait: Duration
    /// The check bytes of T=1 blocks.
    let errorDetection: T1Block.ErrorDetection
    /// The state of T=1 where the host runs it.
    fileprivate var t1: T1InterfaceDevice?
    /// An exchange failed: it is unknown how far the card got with it.
    fileprivate var hasFailed = false
}

/// The power of one slot: which activation it is in, and whether its card may still be used.
struct SlotPower {
    private var activations: UInt64 = 0
    private var session: CCIDCardSession?
    /// The code of a hardware error notification since the last command began; 1 is overcurrent (CCID 1.1 §6.3.2).
    private(set) var hardwareFault: UInt8?

    /// Whether the host powered a card.
    var isOn: Bool { session != nil }

    /// Starts the session of a card that has been activated.
    ///
    /// - Parameters:
    ///   - atr: the card's answer to reset.
    ///   - transmissionProtocol: 0 or 1.
    ///   - wait: for the card's answer to one block.
    ///   - removals: the slot's count of removals.
    ///   - runsT1: whether the host runs T=1.
    /// - Returns: the new session.
    mutating func start(
        _ atr: ATR, transmissionProtocol: UInt8, wait: Duration, removals: UInt64, runsT1: Bool
    ) -> CCIDCardSession {
        activations += 1
        let t1 =
            runsT1
            ? T1InterfaceDevice(
                cardInformationFieldSize: atr.cardInformationFieldSize, errorDetection: atr.errorDetection)
            : nil
        let started = CCIDCardSession(
            activation: activations, removals: removals, transmissionProtocol: transmissionProtocol, wait: wait,
            errorDetection: atr.errorDetection, t1: t1)
        session = started
        return started
    }

    /// Ends the session: the card has no power, or its state is unknown.
    mutating func end() { session = nil }

    /// Returns the session of an activation if its card may still be used.
    ///
    /// - Throws: ``CardChannelError/cardRemoved``, ``CardChannelError/protocolViolation(_:)``
    func session(_ activation: UInt64, _ presence: SlotPresence) throws(CardChannelError) -> CCIDCardSession {
        if activations == activation, presence.hasPoweredCardLeft { throw .cardRemoved }
        guard let session, session.activation == activation else {
            throw .protocolViolation("the card was powered off or reset since: power it on again")
        }
        guard session.removals == presence.removals else { throw .cardRemoved }
        guard !session.hasFailed else {
            throw .protocolViolation("an earlier exchange with the card failed: power it on again")
        }
        return session
    }

    /// Returns the error of a card channel for an error of the reader. The card may not be used after it, unless
    /// nothing was sent.
    mutating func fail(_ error: CCIDError, _ used: CCIDCardSession, _ presence: SlotPresence) -> CardChannelError {
        switch error {
        case .extendedLengthNotSupported, .t0(.extendedLengthNotSupported), .t0(.invalidInstruction):
            return .notSupported(error.description)
        default: break
        }
        session?.hasFailed = true
        switch error {
        case .canceled: return .canceled
        case .readerGone, .readerDead, .closed, .suspended, .usb, .hardwareFault:
            return .readerUnavailable(error.description)
        case .cardAbsent: return .cardRemoved
        case _ where used.removals != presence.removals: return .cardRemoved
        case .cardMute, .cardNotPowered, .failed(_, .cardMute): return .cardMute
        case .timedOut: return .timedOut
        default: return .protocolViolation(error.description)
        }
    }

    /// Forgets an earlier hardware fault, as a command begins.
    mutating func beginCommand() { hardwareFault = nil }

    /// Notes a hardware error notification.
    mutating func noteHardwareFault(_ code: UInt8) { hardwareFault = code }

    // MARK: T=1

    /// Advances the T=1 state in place.
    ///
    /// - Returns: nil when there is none: the host does not run T=1, or the session has ended.
    mutating func withT1<Value>(_ body: (inout T1InterfaceDevice) -> Value) -> Value? { session?.t1?.apply(body) }

    /// Sets T=1 back to its state at the start of an exchange in which no block reached the card.
    mutating func restoreT1(_ earlier: CCIDCardSession) { session?.t1 = earlier.t1 }
}

extension T1InterfaceDevice {
    fileprivate mutating func apply<Value>(_ body: (inout T1InterfaceDevice) -> Value) -> Value { body(&self) }
}
