internal import Synchronization

/// Remembers the value that an observer was told last.
final class LastValue<Value: Equatable & Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    /// - Returns: whether `new` is another value than the last, or the first.
    func replace(with new: Value) -> Bool {
        value.withLock { value in
            guard value != new else { return false }
            value = new
            return true
        }
    }
}
