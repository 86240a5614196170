/// Stands for somebody who is told of commits, and ends that when it is let go of.
public final class StorageObservation: Sendable {
    private let observer: CommitObserver

    init(_ observer: CommitObserver) { self.observer = observer }

    deinit { cancel() }

    /// Ends it now, except for a call that has already begun on another thread. Ending it twice does nothing.
    public func cancel() { observer.cancel() }
}
