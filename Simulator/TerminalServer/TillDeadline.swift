import Determinism
import Terminal

/// The longest that a call of a till over HTTP gets no response. What it asked for goes on, and can be asked for.
enum TillDeadline {
    /// Less than the 80 seconds that the vendor's libraries wait.
    static let stripe = Duration.seconds(60)
    /// More than a person may take.
    static let nexo = TerminalPatience.cardholder + .seconds(20)

    /// How a call ended.
    enum End<Answer: Sendable>: Sendable {
        case answered(Answer)
        /// Its time is over. What it asked for goes on.
        case late
        /// There is no answer: the connection is to be closed.
        case cut
    }

    /// Waits for an answer.
    ///
    /// - Parameters:
    ///   - limit: how long.
    ///   - time: measures it.
    ///   - body: the work, which ends without an answer when its task is canceled.
    /// - Returns: the answer, or why there is none. A caller whose task is canceled gets ``End/cut``.
    static func answer<Answer: Sendable>(
        within limit: Duration, _ time: any TimeSource, _ body: @escaping @Sendable () async -> Answer?
    ) async -> End<Answer> {
        await withTaskGroup(of: End<Answer>.self) { group in
            group.addTask { await body().map { .answered($0) } ?? .cut }
            group.addTask {
                do throws(CancellationError) { try await time.sleep(for: limit) } catch { return .cut }
                return .late
            }
            defer { group.cancelAll() }
            return await group.next() ?? .cut
        }
    }
}
