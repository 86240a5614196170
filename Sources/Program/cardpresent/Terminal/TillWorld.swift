import Determinism
import Simulator

/// Where the till's work runs: in the machine's time, or in a simulated world, whose clock moves only during the work.
struct TillWorld: Sendable {
    /// The world of simulated readers; nil for real ones.
    private let queue: RunQueue?

    init(_ reader: ReaderChoice) {
        if case .simulated = reader { queue = RunQueue() } else { queue = nil }
    }

    /// Whether the time is simulated.
    var isSimulated: Bool { queue != nil }

    /// Carries out a piece of work.
    ///
    /// - Throws: `CommandFailure` of the work, and when simulated work waits for something that never happens.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        guard let queue else { return try await body() }
        let end = Timestamp(milliseconds: .max)
        let result = await queue.turn { isOver in
            isOver ? nil : end
        } _: { () async -> Result<Value, CommandFailure> in
            do throws(CommandFailure) { return .success(try await body()) } catch { return .failure(error) }
        }
        guard let result else {
            throw CommandFailure(
                .outcomeUnknown, code: "internal", message: "the simulated work at the reader does not end",
                fix: "run 'cardpresent payments recover'")
        }
        return try result.get()
    }
}
