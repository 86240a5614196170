import Determinism
import Terminal

/// The longest that a call of a till over HTTP gets no response. What it asked for goes on, and can be asked for.
enum TillDeadline {
    /// Less than the 80 seconds that the vendor's libraries wait.
    static let stripe = Duration.seconds(60)
    /// More than a person may take.
    static let nexo = TerminalPatience.cardholder + .seconds(20)

    /// Waits for an answer.
    ///
    /// - Parameters:
    ///   - limit: how long.
    ///   - time: measures it.
    ///   - body: the work, which ends without an answer when its task is canceled.
    /// - Returns: the answer; nil when it did not come in time, and when the caller's task is canceled.
    static func answer<Answer: Sendable>(
        within limit: Duration, _ time: any TimeSource, _ body: @escaping @Sendable () async -> Answer?
    ) async -> Answer? {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await time.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
