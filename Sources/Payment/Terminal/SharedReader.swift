import Synchronization

/// The one reader behind the terminals of several protocols: the till that holds it, from whichever protocol.
///
/// Each ``TerminalModel`` of the reader has it. The models belong to different owners, so that the first one to take it
/// has it, and every other one is busy.
public final class SharedReader: Sendable {
    private let state = Mutex<TillID?>(nil)

    /// A free reader.
    public init() {}

    /// The till that holds the reader; nil when it is free.
    public var holder: TillID? { state.withLock { $0 } }

    /// Takes the reader for a till.
    ///
    /// - Returns: the till that has it already; nil when it was free.
    func take(for till: TillID) -> TillID? {
        state.withLock { holder in
            if let holder { return holder }
            holder = till
            return nil
        }
    }

    /// Gives the reader back. Only the model that took it calls this.
    func giveBack() { state.withLock { $0 = nil } }
}
