import Connections
import Determinism
import Foundation
import Synchronization
import TestPostgreSQL
import Testing

@testable import PostgreSQL

extension Deadline {
    /// Ends a test that hangs; no test that passes waits for it.
    static var soon: Deadline { Deadline(after: .seconds(600), on: SystemTimeSource()) }
}

/// A schema of the shared server for one test.
struct Bench: Sendable {
    let server: TemporaryPostgreSQL
    let schema: String
    /// A connection that is not under test.
    let observer: PostgreSQLConnection

    init() async throws {
        server = try await TemporaryPostgreSQL.shared()
        schema = "s" + UUID().uuidString.lowercased().filter { $0 != "-" }
        observer = try await Self.connect(server.address(schema: schema))
        try await observer.run(Statement("CREATE SCHEMA \(schema)"), deadline: .soon)
    }

    /// Connects over the socket.
    func connect(
        time: any TimeSource = SystemTimeSource(), deadline: Deadline = .soon
    ) async throws -> PostgreSQLConnection {
        try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(server.address(schema: schema)), deadline: deadline, time: time)
    }

    static func connect(_ text: String) async throws -> PostgreSQLConnection {
        try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(text), deadline: .soon, time: SystemTimeSource())
    }

    /// Runs one text of several statements.
    func script(_ text: String) async throws { try await observer.runScript(text, deadline: .soon) }

    /// The number of rows of a table.
    func count(_ table: String) async throws -> Int64 {
        try await observer.run(Statement("SELECT count(*) AS n FROM \(table)"), deadline: .soon).only().value("n")
    }

    /// Waits until the server runs a statement with this text for another connection of the test, and returns its
    /// process.
    func process(running text: String) async throws -> Int64 {
        let look = Statement(
            "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
                + " AND application_name = $1 AND position($2 IN query) > 0", .text(schema), .text(text))
        while true {
            if let row = try await observer.run(look, deadline: .soon).first { return try row.value("pid") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends another connection's process at the server.
    func terminate(_ process: Int64) async throws {
        try await observer.run(Statement("SELECT pg_terminate_backend($1::int)", .integer(process)), deadline: .soon)
    }
}

extension PostgreSQLConnection {
    /// The number of its process at the server.
    func process() async throws -> Int64 {
        try await run(Statement("SELECT pg_backend_pid() AS pid"), deadline: .soon).only().value("pid")
    }

    /// Whether it answers.
    func isAlive() async -> Bool { (try? await process()) != nil }
}

/// Returns the error that `body` throws.
func failure(
    of body: () async throws -> Void, location: SourceLocation = #_sourceLocation
) async -> PostgreSQLError? {
    await #expect(throws: PostgreSQLError.self, sourceLocation: location) { try await body() }
}

/// What a value shows of itself by any means.
func everyText(of value: Any) -> String {
    var text = "\(value) \(String(reflecting: value))"
    dump(value, to: &text)
    return text
}

/// A count that tasks share.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func increment() { value.withLock { $0 += 1 } }
}
