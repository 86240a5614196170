import Connections
import Determinism
import Foundation
import PostgreSQL
import Synchronization
import TestPostgreSQL
import Testing

@testable import WorkQueue

extension Deadline {
    /// Ends a test that hangs; no test that passes waits for it.
    static var soon: Deadline { Deadline(after: .seconds(600), on: SystemTimeSource()) }
}

/// A queue in a schema of its own, whose leases end only when a test says so.
struct QueueBench: Sendable {
    static let program = "1.0, build a"

    let address: String
    /// A connection that is not under test.
    let observer: PostgreSQLConnection

    init() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let schema = "w" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await self.init(server.address(schema: schema))
        try await observer.run(Statement("CREATE SCHEMA \(schema)"), deadline: .soon)
    }

    init(_ address: String) async throws {
        self.address = address
        observer = try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(address), deadline: .soon, time: SystemTimeSource())
    }

    /// Opens the queue over a connection of its own.
    func open(lease: Duration = .seconds(3600)) async throws -> WorkQueue {
        try await WorkQueue.open(
            PostgreSQLAddress(address), time: SystemTimeSource(),
            timing: WorkQueueTiming(lease: lease, absence: .seconds(3600)))
    }

    func job(_ id: String = "1", program: String = program) -> Job {
        Job(id: id, kind: "squares", program: program, spec: [7])
    }

    /// Begins a job that only the caller coordinates.
    func begin(_ job: Job) async throws -> JobCoordinator {
        try await JobCoordinator(job, in: try await open())
    }

    /// Takes a batch like a worker that never comes back.
    func take(as worker: String) async throws -> (TakenBatch, JobBatches) {
        let batches = JobBatches(queue: try await open(), job: job(), worker: worker)
        while true {
            if case .batch(let batch) = try await batches.take() { return (batch, batches) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Works on the job until it ends.
    func work(
        as name: String, lease: Duration = .seconds(3600),
        _ perform: @escaping @Sendable ([UInt8], @escaping @Sendable () -> Bool) async -> QueueWorker.Outcome = {
            batch, _ in .result(Self.square(batch))
        }
    ) async throws -> QueueWorker.Summary {
        try await QueueWorker(try await open(lease: lease), on: job(), name: name).run(perform)
    }

    static func square(_ batch: [UInt8]) -> [UInt8] { batch.map { $0 &* $0 } }

    /// Ends the leases of all batches, as time does.
    func endLeases() async throws { try await run("UPDATE work_batch SET leased_until = '-infinity'") }

    func run(_ text: String) async throws { try await observer.run(Statement(text), deadline: .soon) }

    /// The value of a statement with one row.
    func number(_ text: String) async throws -> Int64 {
        try await observer.run(Statement("SELECT (\(text))::bigint AS number"), deadline: .soon).only().value("number")
    }

    /// Waits until a statement says yes.
    func wait(until condition: String) async throws {
        while try await number("SELECT (\(condition))::int") == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// Results in the order in which a coordinator took them.
final class TakenResults: Sendable {
    private let results = Mutex<[[UInt8]]>([])

    var all: [[UInt8]] { results.withLock { $0 } }

    func add(_ result: [UInt8]) -> Int {
        results.withLock { results in
            results.append(result)
            return results.count
        }
    }
}

/// Batches of one byte each.
func numbers(_ count: Int) -> [[UInt8]] { (0..<count).map { [UInt8(truncatingIfNeeded: $0)] } }
