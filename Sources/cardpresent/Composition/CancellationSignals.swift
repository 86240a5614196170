internal import Dispatch
internal import Glibc

/// Ctrl-C and `kill` end a command cleanly, and so does `head` one whose output goes on.
enum CancellationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Runs `work`. Each SIGINT, SIGTERM or SIGHUP calls `onSignal`, and `work` comes to its own end. With
    /// `endsWithOutput` the same happens when nobody reads standard output any more.
    static func watching<Value: Sendable>(
        endsWithOutput: Bool = false, _ work: () async throws -> Value, onSignal: @escaping @Sendable () async -> Void
    ) async rethrows -> Value {
        let queue = DispatchQueue(label: "cardpresent.signals")
        let sources = numbers.map { number in
            // The default action would end the process before the source hears of the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in Task { await onSignal() } }
            return source
        }
        // A signal that comes before its source is registered is lost.
        for source in sources {
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { @Sendable in registered.resume() }
                source.resume()
            }
        }
        let output = endsWithOutput ? OutputWatch { Task { await onSignal() } } : nil
        defer {
            output?.end()
            for source in sources { source.cancel() }
            for number in numbers { signal(number, SIG_DFL) }
        }
        return try await work()
    }
}
