internal import Dispatch
internal import Glibc

/// Ctrl-C and `kill` end a payment cleanly.
enum CancellationSignals {
    /// Runs `work`. The first SIGINT, SIGTERM or SIGHUP calls `onCancel`, and `work` comes to its own end.
    static func watching<Value: Sendable>(
        _ work: () async throws -> Value, onCancel: @escaping @Sendable () async -> Void
    ) async rethrows -> Value {
        let queue = DispatchQueue(label: "cardpresent.signals")
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The default action would end the process before the source hears of the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in Task { await onCancel() } }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        }
        return try await work()
    }
}
