import ArgumentParser
import Determinism
import FoundationEssentials
import Glibc
import Synchronization
import Text
import WorkQueue

/// `simulate work`
struct SimulateWork: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "work", abstract: "Work for a search or a run on another machine.",
        discussion: """
            EXAMPLES:
              cardpresent simulate work --queue postgres://tester@db/work
              cardpresent simulate work --queue postgres://tester@db/work --workers 8 --idle 86400

            Takes batches of jobs that 'simulate explore --queue' and 'simulate run --queue' have begun with the same \
            program, and ends when there has been no job for a while. Ctrl-C gives batches back. A worker that is \
            killed or stopped costs its batch only. See docs/distributed-search.md.

            Exits with 0 when the work is done, with 1 when the job has failed, with 3 when it was canceled, with 69 \
            when the database can't be reached or the command that began a job is gone, and with 78 when this program or its scenarios are not those of the \
            job.
            """)

    @Option(
        help: ArgumentHelp(
            "PostgreSQL database of the queue: postgres://USER@HOST/DATABASE.",
            discussion: "Default: $\(QueueAddress.variable).", valueName: "address"))
    var queue: String?
    @Option(
        help: ArgumentHelp("Number of batches to do at once. Default: the number of processors.", valueName: "number"))
    var workers: Int?
    @Option(help: ArgumentHelp("Work on this job only.", valueName: "number"))
    var job: String?
    @Option(help: ArgumentHelp("Time to wait for a job.", valueName: "seconds"))
    var idle = 60
    @Option(help: ArgumentHelp("Time after which another worker gets a batch, as in 'explore'.", valueName: "seconds"))
    var lease: Int?
    @Flag(help: ArgumentHelp("End with the process that started this one.", visibility: .hidden))
    var withParent = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(workers, in: 1...QueueOptions.mostWorkers, "--workers")
        try check(idle, in: 0...31_536_000, "--idle", "seconds")
        try check(lease, in: 1...3600, "--lease", "seconds")
    }

    func execute() async throws {
        guard let text = queue ?? ProcessInfo.processInfo.environment[QueueAddress.variable].flatMap(\.nonEmpty) else {
            throw CommandFailure(
                .usage, code: "no_queue", message: "no queue: neither --queue nor \(QueueAddress.variable) is given",
                fix: "give the address that the coordinator has, such as --queue postgres://USER@HOST/DATABASE")
        }
        let station = WorkStation(
            address: QueueAddress(text, lease: lease), program: try ProgramIdentity.text(), only: job,
            idle: .seconds(idle),
            folder: FileManager.default.temporaryDirectory.path
                + "/cardpresent-work-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: station.folder) }
        let count = workers ?? ProcessInfo.processInfo.activeProcessorCount
        let task = Task { await station.run(count) }
        let parent = withParent ? Task { await ParentProcess.ended() } : nil
        if let parent {
            Task {
                if await parent.value { task.cancel() }
            }
        }
        let results = await CancellationSignals.watching {
            await task.value
        } onSignal: {
            task.cancel()
        }
        parent?.cancel()
        var batches = 0
        for result in results { batches += try result.get() }
        let json: JSONObject = ["batches": batches]
        try output.write(json, text: "\(batches) batch\(batches == 1 ? "" : "es")\n")
    }
}

/// The workers of one process.
private struct WorkStation: Sendable {
    let address: QueueAddress
    let program: String
    /// The only job to work on; nil for any.
    let only: String?
    /// How long to wait for a job.
    let idle: Duration
    let folder: String

    private var time: any TimeSource { SystemTimeSource() }

    /// Runs a number of workers, each with a connection of its own.
    ///
    /// - Returns: the number of batches that each has done, or why it can't work.
    func run(_ count: Int) async -> [Result<Int, CommandFailure>] {
        let host = Self.hostName
        return await withTaskGroup(of: Result<Int, CommandFailure>.self) { group in
            for _ in 0..<count {
                let random = String(decoding: SystemRandomSource().bytes(4).lowercaseHexadecimalDigits, as: UTF8.self)
                // Two workers that do the same batch must not write the same files.
                group.addTask { await result(of: "\(host):\(getpid()).\(random)", in: folder + "/" + random) }
            }
            var results: [Result<Int, CommandFailure>] = []
            for await result in group { results.append(result) }
            return results
        }
    }

    private func result(of name: String, in folder: String) async -> Result<Int, CommandFailure> {
        do throws(CommandFailure) {
            let queue = try await address.open()
            let result: Result<Int, CommandFailure>
            do throws(CommandFailure) { result = .success(try await work(name, queue, folder)) } catch {
                result = .failure(error)
            }
            await queue.close()
            return result
        } catch {
            return .failure(error)
        }
    }

    /// Works on one job after the other.
    private func work(
        _ name: String, _ queue: WorkQueue, _ folder: String
    ) async throws(CommandFailure) -> Int {
        var batches = 0
        var passed: Set<String> = []
        var lost: CommandFailure?
        while let job = try await next(queue, besides: passed) {
            let performer = try BatchPerformer(job, folder: folder)
            let summary = try await CommandFailure.ofQueue { () async throws(WorkQueueError) in
                try await QueueWorker(queue, on: job, name: name).run { batch, isWanted in
                    await performer.outcome(of: batch, isWanted: isWanted)
                }
            }
            batches += summary.batches
            passed.insert(job.id)
            guard let state = summary.state, state != .done else { continue }
            let failure = CommandFailure(WorkQueueError.ended(state, cause: summary.cause))
            if only != nil { throw failure }
            StandardError.note("job \(job.id): \(failure.message)\n")
            if state == .abandoned { lost = failure }
        }
        if let lost { throw lost }
        return batches
    }

    /// Returns the next job; nil when there is none, or the task is canceled.
    private func next(_ queue: WorkQueue, besides passed: Set<String>) async throws(CommandFailure) -> Job? {
        let start = time.reading()
        while !Task.isCancelled {
            do throws(WorkQueueError) {
                if let only {
                    return passed.isEmpty ? try await queue.job(only, for: program) : nil
                }
                if let job = try await queue.nextJob(for: program, besides: passed) { return job }
            } catch {
                // The job was over before this worker came, or the task was canceled.
                if case .ended(.done, _) = error { return nil }
                if error == .canceled { return nil }
                throw CommandFailure(error)
            }
            guard time.elapsed(since: start) < idle else { return nil }
            do throws(CancellationError) { try await time.sleep(for: .milliseconds(500)) } catch { return nil }
        }
        return nil
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, name.count - 1) == 0 else { return "worker" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The process that started this one.
private enum ParentProcess {
    /// Waits until it has ended.
    ///
    /// - Returns: false when the task was canceled before.
    static func ended(time: any TimeSource = SystemTimeSource()) async -> Bool {
        let parent = getppid()
        while getppid() == parent {
            do throws(CancellationError) { try await time.sleep(for: .milliseconds(500)) } catch { return false }
        }
        return true
    }
}
