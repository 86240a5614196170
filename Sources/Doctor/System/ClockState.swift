internal import CTimex

/// Whether something keeps the machine's clock right.
public enum ClockState: Hashable, Sendable {
    case synchronised
    case notSynchronised
    /// The kernel does not say.
    case unknown

    /// What the kernel says (adjtimex(2)).
    public static func ofKernel() -> ClockState {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return .unknown }
        return state.status & STA_UNSYNC == 0 ? .synchronised : .notSynchronised
    }
}
