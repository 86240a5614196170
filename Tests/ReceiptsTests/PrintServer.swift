import Foundation

/// A private CUPS server with an IPP Everywhere printer, started by `Scripts/print-server`.
struct PrintServer: Sendable {
    let directory: String

    /// The socket of the server: what `CUPS_SERVER` would say.
    var socket: String { directory + "/cups.sock" }

    /// Runs `body` with a server that is there as long as it runs.
    static func running(_ body: (PrintServer) async throws -> Void) async throws {
        let server = PrintServer(directory: NSTemporaryDirectory() + "cardpresent-print-\(UUID().uuidString)")
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
    /// has handed it over, and the printer stores it a moment later; five seconds are the most that it may take.
    func printed(_ count: Int) async throws -> [Data] {
        for _ in 0..<100 where try stored().count < count { try await Task.sleep(for: .milliseconds(50)) }
        return try stored()
    }

    private func stored() throws -> [Data] {
        let folder = directory + "/printed"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
            .map { try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)) }
    }

    private func run(_ action: String) async throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
        let process = Process()
        process.executableURL = root.appendingPathComponent("Scripts/print-server")
        process.arguments = [action, directory] + (action == "start" ? ["\(getpid())"] : [])
        process.standardOutput = FileHandle.nullDevice
        // Waiting must not hold a thread that other tests need.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw PrintServerError(action: action, status: status) }
    }
}

struct PrintServerError: Error {
    var action: String
    var status: Int32
}
