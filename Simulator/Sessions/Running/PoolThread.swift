internal import Glibc

/// A thread that runs one closure.
final class PoolThread: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Begins to run `body`. Where the system has no thread left, the caller's runs it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let argument = Unmanaged.passRetained(PoolThread(body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runPoolThread, argument.toOpaque()) == 0 else {
            argument.takeRetainedValue().body()
            return
        }
        pthread_detach(thread)
    }

    fileprivate func run() { body() }
}

// By name, since a closure that is handed to C must not belong to anybody's actor.
private func runPoolThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<PoolThread>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
}
