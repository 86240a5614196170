internal import Commands
internal import Synchronization

/// Where cards are: one operation that moves money at a time, and nobody waits in line behind a cardholder.
///
/// Operations go through a serial queue of commands: the next one begins when the one before has really ended, cancelled
/// or not.
final class ReaderSlot: Sendable {
    enum Kind: Hashable, Sendable { case payment, refund, recovery }

    private struct Running {
        let kind: Kind
        let task: Task<Void, Never>
    }

    private let line = CommandQueue(concurrency: 1)
    private let running = Mutex<Running?>(nil)

    /// Runs `operation`, and nothing else that moves money beside it: recovery would take a running attempt for one that
    /// was left in the middle. `onEnd` is called once, after the slot is free again.
    ///
    /// - Returns: whether the slot was free. If not, nothing is called.
    func run<Value: Sendable>(
        _ kind: Kind, _ operation: @escaping @Sendable () async throws(CardPresentPaymentsError) -> Value,
        onEnd: @escaping @Sendable (Result<Value, CardPresentPaymentsError>) -> Void
    ) -> Bool {
        running.withLock { running in
            guard running == nil else { return false }
            // Made under the lock: a cancel that comes next finds it.
            let task = Task {
                let result: Result<Value, CardPresentPaymentsError>
                do throws(QueueFailure<CardPresentPaymentsError>) {
                    result = .success(try await line.run(ClosureCommand(operation)))
                } catch {
                    switch error {
                    case .failed(let error): result = .failure(error)
                    // The line was empty, so the operation began; a cancelled one has ended by itself.
                    case .cancelled: result = .failure(.busy)
                    }
                }
                self.running.withLock { $0 = nil }
                onEnd(result)
            }
            running = Running(kind: kind, task: task)
            return true
        }
    }

    /// Cancels what runs, if it is of this kind.
    ///
    /// - Returns: what ends when the slot is free; nil when nothing of this kind runs.
    func cancel(_ kind: Kind) -> Task<Void, Never>? {
        let running = running.withLock { $0 }
        guard let running, running.kind == kind else { return nil }
        running.task.cancel()
        return running.task
    }

    /// Cancels a payment that runs, and waits until it, or whatever else runs, has ended.
    func clear() async {
        let running = running.withLock { $0 }
        if running?.kind == .payment { running?.task.cancel() }
        await running?.task.value
    }
}
