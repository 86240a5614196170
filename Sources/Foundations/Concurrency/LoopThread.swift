import Glibc

/// A thread for the event loop of a C library.
public final class LoopThread: Sendable {
    /// The system could not create the thread.
    public struct StartError: Error, Hashable {
        /// The error number of pthread_create(3).
        public let code: Int32
    }

    private let thread: pthread_t

    /// Starts the thread, which runs `loop` once.
    ///
    /// - Throws: ``StartError``
    public init(_ loop: @escaping @Sendable () -> Void) throws(StartError) {
        var started = pthread_t()
        let argument = Unmanaged.passRetained(ThreadBody(run: loop))
        let code = pthread_create(&started, nil, runThreadBody, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw StartError(code: code)
        }
        thread = started
    }

    /// Lets the thread end by itself. Call this or ``join()``, once.
    public func forget() { pthread_detach(thread) }

    /// Waits until the loop has ended. Call it once, after asking the loop to stop. On the loop's own thread, which
    /// cannot wait for itself, returns at once.
    public func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}

// A function, not a closure: a closure inherits the isolation of its context, and the runtime traps when it runs on
// another thread.
private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
}
