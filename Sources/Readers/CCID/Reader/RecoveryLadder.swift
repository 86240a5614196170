import USB

/// The steps taken, one after the other, with a reader that does not answer a command as it should. Each step has a
/// time limit, and the next one follows only when it did not help.
public enum CCIDRecoveryStep: Hashable, Sendable, CustomStringConvertible {
    /// The driver aborts the command (CCID 1.1 §5.3.1).
    case abort(slot: UInt8)
    /// The driver powers the card off; the next use of the slot powers it on again.
    case slotPowerOff(slot: UInt8)
    /// The driver resets the device, which powers off every card.
    case deviceReset
    /// The reader answers again.
    case recovered
    /// The driver skips an answer to another message than the one that was sent.
    case staleAnswer(slot: UInt8, message: UInt8)
    /// The reader refuses a command for its lights and its buzzer, or does not answer it. Nothing else depends on it;
    /// reported once.
    case indicatorsFailed(slot: UInt8)
    /// The reader does not answer after the reset, or did not come back from it.
    case dead

    public var description: String {
        switch self {
        case .abort(let slot): "the command in slot \(slot) is aborted"
        case .slotPowerOff(let slot): "the power is taken from slot \(slot)"
        case .deviceReset: "the device is reset"
        case .staleAnswer(let slot, let message): "an answer to message \(message), in slot \(slot), is passed over"
        case .indicatorsFailed(let slot): "the lights and the buzzer of slot \(slot) do not work"
        case .recovered: "the reader answers again"
        case .dead: "the reader does not answer any more"
        }
    }
}

/// Decides which recovery step comes next: abort the command, power off the slot, reset the device.
struct RecoveryLadder: Hashable {
    enum Step: Hashable { case abort, slotPowerOff, deviceReset }

    /// The consequence of a failed step.
    enum Failure: Hashable {
        /// Take the next ``RecoveryLadder/step``.
        case tryNextStep
        /// The reader was unplugged.
        case gone
        /// No step helped.
        case dead
    }

    /// The step to take now.
    private(set) var step: Step
    private let isQuiet: Bool

    /// The ladder after a failed command.
    ///
    /// - Parameters:
    ///   - error: the error of the command. After a hardware fault nothing is in progress, so recovery starts with the
    ///     power. Cancellation is no failure of the reader: its abort is not reported.
    ///   - usesAbort: whether the reader survives an abort.
    init(after error: CCIDError, usesAbort: Bool) {
        isQuiet = error == .canceled
        if case .hardwareFault = error {
            step = .slotPowerOff
        } else {
            step = usesAbort ? .abort : .deviceReset
        }
    }

    /// Whether the step and its success are reported.
    var isReported: Bool { step != .abort || !isQuiet }

    /// The report of the step as it begins; nil when it is not reported.
    func report(_ slot: UInt8) -> CCIDRecoveryStep? {
        guard isReported else { return nil }
        return switch step {
        case .abort: .abort(slot: slot)
        case .slotPowerOff: .slotPowerOff(slot: slot)
        case .deviceReset: .deviceReset
        }
    }

    /// Moves on to the next step after ``step`` failed.
    ///
    /// - Parameters:
    ///   - error: the error of the step.
    ///   - isOpen: whether the reader is still open.
    /// - Returns: the consequence.
    mutating func fail(_ error: CCIDError, isOpen: Bool) -> Failure {
        guard error != .readerGone, isOpen || step == .deviceReset else { return .gone }
        switch step {
        case .abort: step = .slotPowerOff
        case .slotPowerOff: step = .deviceReset
        case .deviceReset: return .dead
        }
        return .tryNextStep
    }
}

extension USBControlRequest {
    /// ABORT, a class request to the interface (CCID 1.1 §5.3.1). The abort message that follows must carry the same
    /// sequence number.
    static func abort(_ sequence: UInt8, slot: UInt8, interface: UInt8) -> USBControlRequest {
        .output(
            type: 0x21, request: 0x01, value: UInt16(sequence) << 8 | UInt16(slot), index: UInt16(interface), data: [])
    }
}
