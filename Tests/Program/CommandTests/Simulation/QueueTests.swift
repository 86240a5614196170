import Connections
import Determinism
import Foundation
import Glibc
import PostgreSQL
import TestPostgreSQL
import Testing

/// `simulate explore --queue`, `simulate run --queue`, and `simulate work`
@Suite(
    .enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)), .ownThread, .serialized)
struct QueueTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The address of a queue in a schema of its own, and a connection beside those of the program.
    private func queue() async throws -> (address: String, observer: PostgreSQLConnection) {
        let server = try await TemporaryPostgreSQL.shared()
        let schema = "c" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let address = server.address(schema: schema)
        let observer = try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(address), deadline: .never, time: SystemTimeSource())
        try await observer.run(Statement("CREATE SCHEMA \(schema)"), deadline: .never)
        return (address, observer)
    }

    private func explore(_ arguments: String..., queue: String? = nil) throws -> Child {
        let out = ["simulate", "explore", "--out", scratch.file("explored"), "--json"]
        return try Child(out + arguments + (queue.map { ["--queue", $0] } ?? []), in: scratch)
    }

    /// Waits until a worker process other than these has a batch, and returns its number.
    private func process(
        with observer: PostgreSQLConnection, besides others: Set<pid_t> = []
    ) async throws -> pid_t {
        let look = Statement("SELECT worker FROM work_batch WHERE worker IS NOT NULL AND result IS NULL")
        // Each look takes a millisecond and more.
        for _ in 0..<30_000 {
            // There are no tables before the coordinator has made them.
            let rows = (try? await observer.run(look, deadline: .never)).map { Array($0) } ?? []
            for row in rows {
                let name: String = try row.value("worker")
                let number = name.split(separator: ":").last?.split(separator: ".").first.flatMap { pid_t($0) }
                if let number, !others.contains(number) { return number }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw ChildError(call: "no worker", code: 0)
    }

    @Test func `a search with workers has the bytes of one without, also when one is killed and one is stopped`()
        async throws
    {
        let (address, observer) = try await queue()
        let search = ["--sessions", "288", "--seed", "7"]
        let alone = try Program.run(
            ["simulate", "explore", "--out", scratch.file("explored"), "--json"] + search, in: scratch)
        #expect(alone.status == 0)
        let shared = try explore(
            "--sessions", "288", "--seed", "7", "--workers", "3", "--lease", "1", queue: address)
        let killed = try await process(with: observer)
        kill(killed, SIGKILL)
        let stopped = try await process(with: observer, besides: [killed])
        kill(stopped, SIGSTOP)
        let result = try shared.result()
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output == alone.output)
        #expect(result.error.contains(" has ended (signal 9); others do its batch\n"))
        // No worker outlives the command.
        #expect(kill(stopped, 0) != 0)
        let jobs = try await observer.run(Statement("SELECT state FROM work_job"), deadline: .never)
        #expect(try jobs.only().value("state", as: String.self) == "done")
    }

    /// Writes scenarios of which one fails.
    private func writeScenarios() throws -> String {
        try FileManager.default.createDirectory(atPath: scratch.file("scenarios"), withIntermediateDirectories: true)
        for (name, outcome) in [("right", "approved"), ("wrong", "declined"), ("zero", "approved")] {
            _ = try scratch.write(
                """
                template_version: 1
                description: A payment that ends as \(outcome), \(name)
                steps:
                  - connect
                  - pay: 12.50
                    expect: { outcome: \(outcome) }

                """, to: "scenarios/\(name).yaml")
        }
        return scratch.file("scenarios")
    }

    @Test func `a run with workers has the bytes of one without, in every format`() async throws {
        let (address, _) = try await queue()
        let scenarios = try writeScenarios()
        func run(_ name: String, _ arguments: String...) throws -> ProgramResult {
            try Program.run(
                [
                    "simulate", "run", scenarios, "--repeat", "30", "--json", "--virtual-times", "--junit",
                    scratch.file(name + ".xml"), "--html", scratch.file(name),
                ] + arguments, in: scratch)
        }
        let alone = try run("alone")
        let shared = try run("shared", "--queue", address, "--workers", "2")
        #expect(alone.status == 1 && shared.status == 1, "\(shared.error)")
        #expect(shared.output == alone.output)
        #expect(try scratch.text("shared.xml") == (try scratch.text("alone.xml")))
        #expect(try scratch.text("shared/scenario-2.html") == (try scratch.text("alone/scenario-2.html")))
        let first = try run("first", "--fail-fast")
        #expect(try run("second", "--fail-fast", "--queue", address, "--workers", "2").output == first.output)
    }

    @Test func `workers join with the address, and those with other scenarios are refused`() async throws {
        let (address, _) = try await queue()
        let scenarios = try writeScenarios()
        let alone = try Program.run(["simulate", "run", scenarios, "--json"], in: scratch)
        let coordinator = try Child(
            ["simulate", "run", scenarios, "--json", "--queue", address, "--workers", "0"], in: scratch)
        #expect(coordinator.wait { coordinator.errorOutput.contains(": waiting for workers\n") })
        let right = try scratch.text("scenarios/right.yaml")
        _ = try scratch.write(right.replacing("12.50", with: "12.51"), to: "scenarios/right.yaml")
        func work() throws -> ProgramResult {
            // The address is in the environment, where no list of processes shows it.
            try Program.run(
                ["simulate", "work", "--workers", "2", "--idle", "1", "--json"], in: scratch,
                environment: ["CARDPRESENT_QUEUE": address])
        }
        let other = try work()
        #expect(other.status == 78)
        #expect(other.output.contains("\"code\" : \"other_scenarios\""))
        _ = try scratch.write(right, to: "scenarios/right.yaml")
        let joined = try work()
        #expect(joined.status == 0)
        #expect(joined.output == "{\n  \"batches\" : 3\n}\n")
        #expect(try coordinator.result().output == alone.output)
    }

    @Test func `Ctrl-C at the coordinator ends the job for all workers`() async throws {
        let (address, observer) = try await queue()
        let coordinator = try explore(
            "--sessions", "100000", "--workers", "1", queue: address)
        let worker = try await process(with: observer)
        coordinator.send(SIGINT)
        let result = try coordinator.result()
        #expect(result.status == 3)
        #expect(result.output.contains("\"code\" : \"cancelled\""))
        #expect(kill(worker, 0) != 0)
        let job = try await observer.run(Statement("SELECT state, cause FROM work_job"), deadline: .never).only()
        #expect(try job.value("state", as: String.self) == "canceled")
        #expect(try job.value("cause", as: String.self) == "its coordinator was stopped")
    }

    @Test func `workers of a killed coordinator say that it is gone`() async throws {
        let (address, observer) = try await queue()
        let coordinator = try explore("--sessions", "100000", "--workers", "0", queue: address)
        #expect(coordinator.wait { coordinator.errorOutput.contains(": waiting for workers\n") })
        let worker = try Child(
            ["simulate", "work", "--queue", address, "--workers", "1", "--idle", "0"], in: scratch)
        _ = try await process(with: observer)
        coordinator.send(SIGKILL)
        #expect(try coordinator.result().signal == SIGKILL)
        // As time does.
        try await observer.run(Statement("UPDATE work_job SET leased_until = '-infinity'"), deadline: .never)
        let result = try worker.result()
        #expect(result.status == 69)
        #expect(result.error.contains("the job has lost its coordinator, the command that began it"), "\(result.error)")
        let jobs = try await observer.run(Statement("SELECT state FROM work_job"), deadline: .never)
        #expect(try jobs.only().value("state", as: String.self) == "abandoned")
    }

    @Test func `another program does not work on a job, and says what to do`() async throws {
        let (address, observer) = try await queue()
        let coordinator = try explore("--sessions", "100000", "--workers", "0", queue: address)
        #expect(coordinator.wait { coordinator.errorOutput.contains(": waiting for workers\n") })
        try await observer.run(Statement("UPDATE work_job SET program = '0.0.1, build 00'"), deadline: .never)
        let worker = try Program.run(["simulate", "work", "--queue", address], in: scratch)
        #expect(worker.status == 78)
        #expect(worker.error.contains("was begun by cardpresent 0.0.1, build 00, and this is cardpresent "))
        #expect(worker.error.contains("copy the program that began the job to this machine"))
        coordinator.send(SIGTERM)
        #expect(try coordinator.result().status == 3)
    }

    @Test func `wrong options and addresses are refused`() throws {
        func status(_ arguments: String...) throws -> Int32? {
            try Program.run(["simulate"] + arguments, in: scratch).status
        }
        #expect(try status("explore", "--workers", "2") == 64)
        #expect(try status("explore", "--queue", "x", "--crash-pairs") == 64)
        #expect(try status("explore", "--queue", "x", "--jobs", "2") == 64)
        #expect(try status("run", "x.yaml", "--queue", "x", "--update-golden") == 64)
        #expect(try status("explore", "--round", "0") == 64)
        #expect(try status("work") == 64)
        #expect(try status("work", "--queue", "neither words nor an address") == 64)
        let missing = try Program.run(
            ["simulate", "work", "--queue", "postgres:///work?host=\(scratch.folder)"], in: scratch)
        #expect(missing.status == 69)
        #expect(missing.error.contains("no connection to the database"))
    }
}
