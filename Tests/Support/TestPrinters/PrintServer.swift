public import Foundation

/// A private CUPS server with an IPP Everywhere printer, started by `Scripts/print-server`.
public struct PrintServer: Sendable {
    private let directory: String

    /// The socket of the server: the value for `CUPS_SERVER`.
    public var socket: String { directory + "/cups.sock" }

    /// Where the queue `raw` leads to, if there is one.
    private let rawPort: UInt16?

    /// Runs `body` with a server that is there as long as it runs. With a port, it has a queue `raw` that leads there.
    public static func running(
        rawPort: UInt16? = nil, _ body: (PrintServer) async throws -> Void
    ) async throws {
        let server = PrintServer(
            directory: NSTemporaryDirectory() + "cardpresent-print-\(UUID().uuidString)", rawPort: rawPort)
        do {
            try await server.run("start")
            try await body(server)
        } catch {
            try? await server.run("stop")
            throw error
        }
        try await server.run("stop")
        try FileManager.default.removeItem(atPath: server.directory)
    }

    /// The documents that reached the printer, once there are so many. The queue calls a job completed when it
    /// has handed it over, and the printer stores it a moment later. The test sets the time limit.
    public func printed(_ count: Int) async throws -> [Data] {
        while try stored().count < count { try await Task.sleep(for: .milliseconds(50)) }
        return try stored()
    }

    /// Lets the printer begin with documents and end none, until the hold is released.
    public func hold() throws -> PrinterHold { try PrinterHold(path: directory + "/hold") }

    private func stored() throws -> [Data] {
        let folder = directory + "/printed"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
            .map { try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)) }
    }

    /// Runs one of the programs of CUPS. They live in sbin, which is not on every user's path.
    public func administer(_ program: String, _ arguments: String...) async throws {
        try await run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", program, "-h", socket] + arguments)
    }

    private func run(_ action: String) async throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        let owner = action == "start" ? ["\(getpid())"] + (rawPort.map { ["\($0)"] } ?? []) : []
        try await run(root.appendingPathComponent("Scripts/print-server"), [action, directory] + owner)
    }

    private func run(_ program: URL, _ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        // Waiting must not hold a thread that other tests need.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw PrintServerError(arguments: arguments, status: status) }
    }
}

/// A program of the print server failed.
public struct PrintServerError: Error {
    public var arguments: [String]
    public var status: Int32
}
