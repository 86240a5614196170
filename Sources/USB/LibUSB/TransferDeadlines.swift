internal import Glibc
internal import Synchronization

/// When transfers must have ended. The event thread asks how long it may sleep, and ends those whose time is over.
///
/// A transfer is over long before its deadline, as a rule, and the next one follows at once. So the thread is not told
/// of every end: it sleeps towards a deadline that no longer counts, wakes up once, and finds the next one.
final class TransferDeadlines: Sendable {
    private struct State {
        /// Few: a write or a read, and a read that waits for notices.
        var running: [(transfer: LibUSBTransfer, nanoseconds: UInt64)] = []
        /// When the event thread wakes up by itself.
        var alarm = UInt64.max
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: makes the event thread ask again how long it may sleep.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Ends `transfer` when `timeout` is over.
    func add(_ transfer: LibUSBTransfer, in timeout: Duration) {
        let (deadline, isTooLate) = Self.now().addingReportingOverflow(Self.nanoseconds(timeout))
        let isEarlier = state.withLock { state in
            guard !isTooLate else { return false }
            state.running.append((transfer, deadline))
            guard deadline < state.alarm else { return false }
            state.alarm = deadline
            return true
        }
        if isEarlier { wake() }
    }

    /// The transfer has ended.
    func remove(_ transfer: LibUSBTransfer) {
        state.withLock { state in
            guard let index = state.running.firstIndex(where: { $0.transfer === transfer }) else { return }
            state.running.remove(at: index)
        }
    }

    /// Ends what is late.
    ///
    /// - Returns: how many nanoseconds the event thread may sleep; nil for as long as it likes.
    func pause() -> UInt64? {
        let now = Self.now()
        let (late, pause) = state.withLock { state -> ([LibUSBTransfer], UInt64?) in
            guard state.alarm <= now else { return ([], state.alarm == .max ? nil : state.alarm - now) }
            let late = state.running.filter { $0.nanoseconds <= now }.map(\.transfer)
            state.running.removeAll { $0.nanoseconds <= now }
            state.alarm = state.running.map(\.nanoseconds).min() ?? .max
            return (late, state.alarm == .max ? nil : state.alarm - now)
        }
        for transfer in late { transfer.timeOut() }
        return pause
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = UInt64(max(0, seconds)).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong
            ? .max : whole.addingReportingOverflow(UInt64(max(0, attoseconds)) / 1_000_000_000).partialValue
    }
}
