internal import Synchronization

/// Whether an update may still be cancelled. There is one moment at which it is decided, before the first byte is sent.
public final class DFUCommitment: Sendable {
    private enum State { case open, cancelled, committed }

    private let state: Mutex<State>

    /// - Parameter isCancellable: false when the device has no firmware that runs, so that there is no way but on.
    public init(isCancellable: Bool = true) { state = Mutex(isCancellable ? .open : .committed) }

    /// Whether ``cancel()`` would still be heard.
    public var isOpen: Bool { state.withLock { $0 == .open } }

    public var isCancelled: Bool { state.withLock { $0 == .cancelled } }

    /// Asks for the end of the update.
    ///
    /// - Returns: false when it is too late: the device would be left without firmware.
    public func cancel() -> Bool {
        state.withLock { state in
            if state == .open { state = .cancelled }
            return state == .cancelled
        }
    }

    /// Called before the first byte is sent.
    ///
    /// - Returns: false when the update was cancelled.
    func commit() -> Bool {
        state.withLock { state in
            if state == .open { state = .committed }
            return state == .committed
        }
    }
}
