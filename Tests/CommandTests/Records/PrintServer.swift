import Foundation
import Glibc

/// A private CUPS server with an IPP Everywhere printer, started by `Scripts/print-server`.
final class PrintServer: Sendable {
    let directory: String

    /// The socket of the server: what `CUPS_SERVER` would say.
    var socket: String { directory + "/cups.sock" }

    /// With a port, the server has a queue `raw` that leads there.
    init(rawPort: UInt16? = nil) throws {
        directory = NSTemporaryDirectory() + "cardpresent-print-\(UUID().uuidString)"
        try Self.run(["start", directory, "\(getpid())"] + (rawPort.map { ["\($0)"] } ?? []))
    }

    deinit {
        try? Self.run(["stop", directory])
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The documents that reached the printer, once there are so many. The queue calls a job completed when it
    /// has handed it over, and the printer stores it a moment later; five seconds are the most that it may take.
    func printed(_ count: Int) throws -> [Data] {
        for _ in 0..<100 where try stored().count < count { usleep(50_000) }
        return try stored()
    }

    private func stored() throws -> [Data] {
        let folder = directory + "/printed"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
            .map { try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)) }
    }

    private static func run(_ arguments: [String]) throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        let process = Process()
        process.executableURL = root.appendingPathComponent("Scripts/print-server")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PrintServerError(status: process.terminationStatus) }
    }
}

struct PrintServerError: Error { var status: Int32 }
