import Foundation

/// A PostgreSQL server in a temporary directory, started by `Scripts/postgresql-server`. It ends with this process at
/// the latest.
public struct TemporaryPostgreSQL: Sendable {
    /// The directory of the server.
    public let directory: String
    /// The port at 127.0.0.1.
    public let port: UInt16
    /// The password of the superuser `tester` there.
    public let password: String

    /// Whether a server of Debian's is installed.
    public static let isInstalled: Bool = {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return versions.contains { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)/bin/initdb") }
    }()

    /// Whether tests must use a server: the gate says so.
    public static let isDemanded = ProcessInfo.processInfo.environment["CARDPRESENT_POSTGRESQL_CHECK"] != nil

    /// Whether tests that need a server run. They fail without one where the gate demands it.
    public static let isUsed = isInstalled || isDemanded

    /// Whether tests with a connection pooler run.
    public static let hasPooler = isDemanded || FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    /// Why tests with a pooler are skipped.
    public static let missingPooler = "PgBouncer is not installed: 'Scripts/setup' does it"

    /// Why tests are skipped.
    public static let missing = "PostgreSQL is not installed: 'Scripts/setup' does it"

    /// The server of all tests of this process. Each uses a schema of its own.
    public static func shared() async throws -> TemporaryPostgreSQL { try await sharedServer.value }

    private static let sharedServer = Task { try await start() }

    /// Runs `body` with a server of its own, which it may restart.
    public static func running(_ body: (TemporaryPostgreSQL) async throws -> Void) async throws {
        try await start().whileRunning(body)
    }

    /// Runs `body` with a server and a standby that has all of it, over streaming replication.
    public static func runningWithStandby(
        _ body: (_ primary: TemporaryPostgreSQL, _ standby: TemporaryPostgreSQL) async throws -> Void
    ) async throws {
        try await running { primary in
            try await start("standby", of: primary).whileRunning { standby in try await body(primary, standby) }
        }
    }

    /// Runs `body` with a PgBouncer in front of this server, in transaction mode with two connections to a database.
    public func runningPooler(_ body: (TemporaryPostgreSQL) async throws -> Void) async throws {
        try await Self.start("pooler", of: self).whileRunning(body)
    }

    private func whileRunning(_ body: (TemporaryPostgreSQL) async throws -> Void) async throws {
        do { try await body(self) } catch {
            try? await Self.run("stop", directory)
            throw error
        }
        try await Self.run("stop", directory)
    }

    private static func start(
        _ action: String = "start", of other: TemporaryPostgreSQL? = nil
    ) async throws -> TemporaryPostgreSQL {
        let directory = "/tmp/cardpresent-pg-\(UUID().uuidString)"
        let words = [action, directory] + (other.map { [$0.directory] } ?? []) + ["\(getpid())"]
        try await run(words)
        func content(_ file: String) throws -> String {
            try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let port = UInt16(try content("port")) else { throw TemporaryPostgreSQLError(text: "no port") }
        return TemporaryPostgreSQL(directory: directory, port: port, password: try content("password"))
    }

    /// Ends all connections, as a crash of the server does, and starts it again.
    public func restart() async throws { try await Self.run("restart", directory) }

    /// Ends it as a crash does. ``restart()`` starts it again.
    public func crash() async throws { try await Self.run("crash", directory) }

    /// Makes a standby a server that takes changes.
    public func promote() async throws { try await Self.run("promote", directory) }

    /// The connection string for the socket, with a schema to work in, which also names the connections.
    public func address(schema: String = "public") -> String {
        "postgres:///postgres?host=\(directory)&port=\(port)&user=tester&application_name=\(schema)"
            + "&options=-csearch_path%3D\(schema)"
    }

    /// The connection string for 127.0.0.1, as words, without a password, and without what `more` says.
    public func networkAddress(_ more: String, port: UInt16? = nil) -> String {
        "hostaddr=127.0.0.1 port=\(port ?? self.port) user=tester dbname=postgres \(more)"
    }

    private static func run(_ arguments: String...) async throws { try await run(arguments) }

    private static func run(_ arguments: [String]) async throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        let process = Process()
        let errors = Pipe()
        process.executableURL = root.appendingPathComponent("Scripts/postgresql-server")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        // Waiting must not hold a thread that other tests need.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else {
            let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            throw TemporaryPostgreSQLError(text: text)
        }
    }
}

/// The server was not started.
public struct TemporaryPostgreSQLError: Error {
    /// What the script says.
    public var text: String
}
