internal import Synchronization

/// Stands for an observation or a query, and ends it when it is let go of.
///
/// Keep it as long as the news are wanted. (WordPressFlux calls it a receipt; a receipt is paper here.)
public final class Subscription: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// - Parameter end: ends what this stands for. It is called once.
    init(end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { cancel() }

    /// Ends it now: what was subscribed is not called again, except by a call that has already begun on another
    /// thread. Ending it twice does nothing.
    public func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
