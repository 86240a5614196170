import Glibc
import Synchronization

/// Keeps the printer of a ``PrintServer`` in the middle of a document: a lock that it needs to end one.
public final class PrinterHold: Sendable {
    private let descriptor: Mutex<Int32?>

    /// - Parameter path: the file `hold` in the directory of the print server.
    /// - Throws: `PrintServerError` when the file can't be locked.
    public init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw PrintServerError(arguments: ["open", path], status: errno) }
        guard flock(descriptor, LOCK_EX) == 0 else {
            throw PrintServerError(arguments: ["flock", path], status: errno)
        }
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Lets the printer go on. May be called more than once.
    public func release() {
        guard let held = descriptor.withLock({ $0.take() }) else { return }
        close(held)
    }
}
