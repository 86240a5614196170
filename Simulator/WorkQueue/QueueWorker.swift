import Determinism
import Synchronization

/// Takes batches of a job, one after the other, and stores their results, until the job ends or the task is canceled.
public struct QueueWorker: Sendable {
    /// What became of a batch.
    public enum Outcome: Hashable, Sendable {
        case result([UInt8])
        /// The batch was given up, because it is not wanted any more.
        case unfinished
        /// No worker can do the batch, for the reason given. The job fails.
        case failure(String)
    }

    /// How the work on a job ended.
    public struct Summary: Hashable, Sendable {
        /// The number of batches whose result this worker stored.
        public var batches = 0
        /// How the job ended; nil when the task was canceled.
        public var state: JobState?
        /// Why the job was canceled, has failed, or was abandoned.
        public var cause = ""
    }

    private let batches: JobBatches
    private let time: any TimeSource
    private let timing: WorkQueueTiming

    /// Pauses between looks for a batch double up to the longest one.
    private static let firstPause = Duration.milliseconds(5)
    private static let longestPause = Duration.milliseconds(250)

    /// - Parameters:
    ///   - queue: the queue.
    ///   - job: the job to work on.
    ///   - name: a name that no other worker has.
    public init(_ queue: WorkQueue, on job: Job, name: String) {
        batches = JobBatches(queue: queue, job: job, worker: name)
        (time, timing) = (queue.time, queue.timing)
    }

    /// Works.
    ///
    /// - Parameter perform: does a batch. It looks now and then whether the batch is still wanted.
    /// - Returns: how it ended. A canceled task returns, too, after it has given its batch back.
    /// - Throws: ``WorkQueueError``
    public func run(
        _ perform: @Sendable (_ batch: [UInt8], _ isWanted: @escaping @Sendable () -> Bool) async -> Outcome
    ) async throws(WorkQueueError) -> Summary {
        let hands = Hands()
        let heart = Task { [self] in await beat(hands) }
        let result: Result<Summary, WorkQueueError>
        do throws(WorkQueueError) {
            result = .success(try await work(hands, perform))
        } catch {
            // A canceled statement is how a canceled task finds out.
            result = Task.isCancelled ? .success(hands.summary) : .failure(error)
        }
        heart.cancel()
        // A task of its own, which is not canceled.
        await Task { [batches] in
            await heart.value
            await batches.leave()
        }.value
        return try result.get()
    }

    private func work(
        _ hands: Hands, _ perform: (_ batch: [UInt8], _ isWanted: @escaping @Sendable () -> Bool) async -> Outcome
    ) async throws(WorkQueueError) -> Summary {
        var pause = Self.firstPause
        while !Task.isCancelled {
            switch try await batches.take() {
            case .ended(let state, let cause):
                hands.end(state, cause)
                return hands.summary
            case .noCoordinator: try await batches.queue.endAbandoned(batches.job)
            case .nothing:
                do throws(CancellationError) { try await time.sleep(for: pause) } catch { return hands.summary }
                pause = min(pause * 2, Self.longestPause)
            case .batch(let batch):
                pause = Self.firstPause
                hands.hold(batch)
                let outcome = await withTaskCancellationHandler {
                    await perform(batch.input, { hands.isWanted })
                } onCancel: {
                    hands.drop()
                }
                try await end(batch, outcome, hands)
            }
        }
        return hands.summary
    }

    private func end(_ batch: TakenBatch, _ outcome: Outcome, _ hands: Hands) async throws(WorkQueueError) {
        switch outcome {
        case .unfinished: hands.release(isStored: false)
        case .result(let result):
            let answer = try await batches.store(result, of: batch)
            hands.release(isStored: answer == .stored)
            guard answer == .differs else { return }
            let cause = "two workers have different results of batch \(batch.number); the later is \(batches.worker)"
            try await batches.queue.end(batches.job, .failed, cause: cause)
        case .failure(let cause):
            hands.release(isStored: false)
            try await batches.queue.end(batches.job, .failed, cause: "worker \(batches.worker): \(cause)")
        }
    }

    /// Renews the lease until the task is canceled.
    private func beat(_ hands: Hands) async {
        while true {
            do throws(WorkQueueError) {
                if try await !batches.renew(hands.batch) { hands.drop() }
            } catch {
                // The next statement about the batch finds out what is wrong.
            }
            do throws(CancellationError) { try await time.sleep(for: timing.lease / 3) } catch { return }
        }
    }
}

/// What a worker has, and has done.
private final class Hands: Sendable {
    private struct State {
        var batch: TakenBatch?
        var isWanted = true
        var summary = QueueWorker.Summary()
    }

    private let state = Mutex(State())

    var batch: TakenBatch? { state.withLock { $0.batch } }
    var isWanted: Bool { state.withLock { $0.isWanted } }
    var summary: QueueWorker.Summary { state.withLock { $0.summary } }

    func hold(_ batch: TakenBatch) { state.withLock { $0.batch = batch } }

    /// The batch is not wanted any more, and there will be no other one.
    func drop() { state.withLock { $0.isWanted = false } }

    func release(isStored: Bool) {
        state.withLock { state in
            state.batch = nil
            if isStored { state.summary.batches += 1 }
        }
    }

    func end(_ state: JobState, _ cause: String) {
        self.state.withLock { ($0.summary.state, $0.summary.cause) = (state, cause) }
    }
}
