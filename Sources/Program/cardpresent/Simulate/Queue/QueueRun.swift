import Determinism
import Files
import FoundationEssentials
import Sessions
import Synchronization
import Text
import WorkQueue

/// Coordinates a job: begins it, starts workers of this command, and ends it for all, whatever happens.
struct QueueRun: Sendable {
    let address: QueueAddress
    /// The number of workers of this command.
    let workers: Int

    /// How long workers may take to find out that the job is over.
    private static let patience = Duration.seconds(5)

    init(_ address: String, _ options: QueueOptions) {
        self.address = QueueAddress(address, lease: options.lease)
        workers = options.workers ?? ProcessInfo.processInfo.activeProcessorCount
    }

    /// Runs a job. Ctrl-C cancels it for all workers.
    ///
    /// - Parameters:
    ///   - kind: the kind of the job.
    ///   - spec: what its batches have in common.
    ///   - body: hands out batches, and makes a value of the results.
    /// - Returns: the value.
    /// - Throws: `CommandFailure`
    func run<Value: Sendable>(
        _ kind: JobKind, _ spec: some Encodable,
        _ body: @escaping @Sendable (QueueDispatcher) async throws(WorkQueueError) -> Value
    ) async throws -> Value {
        let program = try ProgramIdentity.text()
        let queue = try await address.open()
        let id = String(decoding: SystemRandomSource().bytes(8).lowercaseHexadecimalDigits, as: UTF8.self)
        let job = Job(id: id, kind: kind.rawValue, program: program, spec: BatchCoding.bytes(spec))
        let task = Task { [self] in await coordinate(job, in: queue, body) }
        let result = await CancellationSignals.watching {
            await task.value
        } onSignal: {
            task.cancel()
        }
        await queue.close()
        return try result.get()
    }

    private func coordinate<Value: Sendable>(
        _ job: Job, in queue: WorkQueue, _ body: (QueueDispatcher) async throws(WorkQueueError) -> Value
    ) async -> Result<Value, CommandFailure> {
        do throws(CommandFailure) {
            let coordinator = try await CommandFailure.ofQueue { () async throws(WorkQueueError) in
                try await JobCoordinator(job, in: queue)
            }
            StandardError.note("job \(job.id)" + (workers == 0 ? ": waiting for workers" : "") + "\n")
            let processes: WorkerProcesses
            do throws(CommandFailure) {
                processes = try WorkerProcesses(workers, of: job, address)
            } catch {
                await coordinator.abandon(.failed, cause: error.message)
                throw error
            }
            let result = await carryOut(coordinator, processes, body)
            await processes.end(within: Self.patience)
            return .success(try result.get())
        } catch {
            return .failure(error)
        }
    }

    private func carryOut<Value: Sendable>(
        _ coordinator: JobCoordinator, _ processes: WorkerProcesses,
        _ body: (QueueDispatcher) async throws(WorkQueueError) -> Value
    ) async -> Result<Value, CommandFailure> {
        do throws(WorkQueueError) {
            let value = try await body(QueueDispatcher(coordinator: coordinator, processes: processes))
            try await coordinator.finish()
            return .success(value)
        } catch {
            // A canceled statement is how a canceled task finds out.
            let isCanceled = error == .canceled || Task.isCancelled
            await coordinator.abandon(
                isCanceled ? .canceled : .failed, cause: isCanceled ? "its coordinator was stopped" : error.description)
            return .failure(CommandFailure(isCanceled ? .canceled : error))
        }
    }
}

/// The way from the explorer or the runner to the workers of a job.
struct QueueDispatcher: BatchDispatching {
    let coordinator: JobCoordinator
    let processes: WorkerProcesses

    func dispatch(
        _ batches: [[UInt8]], take: @escaping @Sendable (Int, [UInt8]) -> ResultAnswer
    ) async throws(WorkQueueError) {
        guard !batches.isEmpty else { return }
        let unreadable = Mutex<Int?>(nil)
        try await coordinator.run(batches, watch: { processes.look($0) }) { number, result in
            switch take(number, result) {
            case .next: return true
            case .stop: return false
            case .unreadable:
                unreadable.withLock { $0 = number }
                return false
            }
        }
        guard let number = unreadable.withLock({ $0 }) else { return }
        throw .ended(.failed, cause: "the result of batch \(number) can't be read")
    }
}

/// The worker processes of a command.
final class WorkerProcesses: Sendable {
    private struct State {
        var hasTold: Set<Int> = []
        var last = ""
        var progress = JobProgress.none
    }

    private let processes: [SpawnedProcess]
    private let state = Mutex(State())

    /// Starts workers.
    ///
    /// - Throws: `CommandFailure`
    init(_ count: Int, of job: Job, _ address: QueueAddress) throws(CommandFailure) {
        var environment = ProcessInfo.processInfo.environment
        environment[QueueAddress.variable] = address.text
        let lease = String(address.timing.lease.components.seconds)
        var processes: [SpawnedProcess] = []
        for _ in 0..<count {
            do throws(ChildProcess.Failure) {
                processes.append(
                    try ChildProcess.spawn(
                        ProgramIdentity.path,
                        ["simulate", "work", "--job", job.id, "--workers", "1", "--lease", lease, "--with-parent"],
                        environment: environment))
            } catch {
                for process in processes { process.kill() }
                throw CommandFailure(.unavailable, code: "no_worker", message: "cannot start a worker: \(error)")
            }
        }
        self.processes = processes
    }

    /// The last progress over all workers.
    var progress: JobProgress { state.withLock { $0.progress } }

    /// Takes the progress of the job, and looks after the workers.
    ///
    /// - Returns: why the job can't go on; nil when it can.
    func look(_ progress: JobProgress) -> String? {
        let ended = processes.map { $0.ended() }
        return state.withLock { state in
            state.progress = progress
            for (number, result) in ended.enumerated() {
                guard let result, state.hasTold.insert(number).inserted else { continue }
                let how = result.signal.map { "signal \($0)" } ?? "exit code \(result.exitStatus ?? 0)"
                state.last = how + (result.lastLine.isEmpty ? "" : ": " + result.lastLine)
                StandardError.note("worker \(number + 1) has ended (\(state.last)); others do its batch\n")
            }
            guard !processes.isEmpty, state.hasTold.count == processes.count, progress.workers == 0 else { return nil }
            return "all workers of this command have ended, the last one with \(state.last)"
        }
    }

    /// Waits until the workers have found out that the job is over, and ends those that have not.
    func end(within limit: Duration, time: any TimeSource = SystemTimeSource()) async {
        let start = time.reading()
        // Not canceled by the signal that ends the job.
        await Task {
            while processes.contains(where: { $0.ended() == nil }), time.elapsed(since: start) < limit {
                do throws(CancellationError) { try await time.sleep(for: .milliseconds(10)) } catch { break }
            }
        }.value
        for process in processes { process.kill() }
    }
}
