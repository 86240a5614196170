import CProcessSecrecy
import Dispatch
import Glibc
import Simulator
import Synchronization

/// A request to cancel a payment, which may come before the payment starts.
final class Cancellation: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Sets the handler of a request. Calls it at once if cancellation was already requested.
    func onRequest(_ action: @escaping @Sendable () async -> Void) async {
        let action = RunQueue.bound(action)
        let isRequested = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isRequested { await action() }
    }

    /// Requests cancellation and waits for the handler.
    func request() async {
        let action = state.withLock { state in
            state.isRequested = true
            return state.action
        }
        await action?()
    }
}

/// Ends a command cleanly on Ctrl-C, on `kill`, and when the reader of its output closes the pipe.
enum CancellationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Runs `work` to its end and calls `onSignal` for each SIGINT, SIGTERM, or SIGHUP. With `onHangup`, SIGHUP calls
    /// that instead. With `endsWithOutput`, also when the reader of standard output closes the pipe. With `untilExit`,
    /// which suits work that only a signal ends, later signals do nothing: they would end the process with their own
    /// code.
    static func watching<Value: Sendable>(
        endsWithOutput: Bool = false, untilExit: Bool = false, onHangup: (@Sendable () async -> Void)? = nil,
        _ work: () async throws -> Value, onSignal: @escaping @Sendable () async -> Void
    ) async rethrows -> Value {
        let queue = DispatchQueue(label: "cardpresent.signals")
        let onSignal = RunQueue.bound(onSignal)
        let onHangup = onHangup.map { RunQueue.bound($0) } ?? onSignal
        let act: @Sendable () -> Void = { Task { await onSignal() } }
        let hangUp: @Sendable () -> Void = { Task { await onHangup() } }
        let sources = numbers.map { number in
            // The default action would end the process before the source receives the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: number == SIGHUP ? hangUp : act)
            return source
        }
        register(sources)
        let output = endsWithOutput ? OutputWatch(onEnd: act) : nil
        defer {
            output?.end()
            for source in sources { source.cancel() }
            if !untilExit { for number in numbers { signal(number, SIG_DFL) } }
        }
        return try await work()
    }

    /// Waits until all sources are registered: an earlier signal would be lost.
    private static func register(_ sources: [any DispatchSourceSignal]) {
        let registered = DispatchGroup()
        for source in sources {
            registered.enter()
            source.setRegistrationHandler { @Sendable in registered.leave() }
            source.resume()
        }
        registered.wait()
    }
}

/// The terminal that a command was started from, if any.
final class StartTerminal: Sendable {
    private let descriptor: Int32

    init() { descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether it was closed: then the kernel sends SIGHUP, too.
    var isGone: Bool {
        guard descriptor >= 0 else { return false }
        // No events requested: poll(2) always reports a hangup.
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) == 1 && Int32(state.revents) & POLLHUP != 0
    }
}

/// Prepares the process before it opens any file.
enum ProcessSetup {
    static func prepare() {
        // A closed output pipe or a file size limit must fail only the write, not end the payment.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // A file opened while a standard stream is closed would get its descriptor and its output.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Forbids core dumps and debuggers of the same user, and lets memory be wiped when it is given back. A process
    /// that may not do all of this still takes payments: its secrets are in memory that no dump contains.
    static func keepMemorySecret() { _ = process_secrecy_begin() }
}
