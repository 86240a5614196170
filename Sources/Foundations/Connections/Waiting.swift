public import Concurrency
public import Determinism
import Synchronization

typealias Wait = FirstAnswer<Void, ConnectionFailure>

extension FirstAnswer where Failure == ConnectionFailure {
    /// Waits for the answer until it comes or the task is canceled.
    func answer() async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0) }
        } onCancel: {
            give(.failure(.canceled))
        }
    }

    /// Waits for the answer until it comes, the deadline passes on `time`, or the task is canceled. Call it once.
    public func answer(until deadline: Deadline, on time: any TimeSource, for step: ConnectionFailure.Step) async
        -> Answer
    {
        guard deadline != .never else { return await answer() }
        let remaining = deadline.remaining(on: time)
        guard remaining > .zero else {
            give(.failure(.timedOut(step)))
            return await answer()
        }
        let alarm = Task(priority: .high) {
            guard (try? await time.sleep(for: min(remaining, .seconds(1 << 32)))) != nil else { return }
            give(.failure(.timedOut(step)))
        }
        defer { alarm.cancel() }
        return await answer()
    }
}

/// Lets one task at a time do something, in the order in which they ask.
public final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [Wait] = []
    }

    private let state = Mutex(State())

    /// The turn is free.
    public init() {}

    /// Waits for the turn. Call ``release()`` after it.
    ///
    /// - Throws: ``ConnectionFailure/timedOut(_:)``, ``ConnectionFailure/canceled``
    public func take(
        until deadline: Deadline, on time: any TimeSource, for step: ConnectionFailure.Step
    ) async throws(ConnectionFailure) {
        guard !takeIfFree() else { return }
        let wait = Wait()
        let isFree = state.withLock { state in
            defer { if state.isTaken { state.waiting.append(wait) } else { state.isTaken = true } }
            return !state.isTaken
        }
        guard !isFree else { return }
        let answer = await wait.answer(until: deadline, on: time, for: step)
        if case .failure = answer { state.withLock { $0.waiting.removeAll { $0 === wait } } }
        try answer.get()
    }

    /// How many tasks wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Returns: Whether this task has the turn now.
    func takeIfFree() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Gives the turn to the next task. Call it once for each turn.
    public func release() {
        while true {
            let next = state.withLock { state -> Wait? in
                state.isTaken = !state.waiting.isEmpty
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            // A task that was canceled meanwhile does not take its turn.
            guard let next, !next.give(.success(())) else { return }
        }
    }
}
