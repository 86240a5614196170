import Foundation
import Glibc
import TestPrinters

/// A private CUPS server with an IPP Everywhere printer, started by `Scripts/print-server`.
final class PrintServer: Sendable {
    let directory: String

    /// The socket of the server: the value for `CUPS_SERVER`.
    var socket: String { directory + "/cups.sock" }

    /// With a port, the server has a queue `raw` that leads there.
    init(rawPort: UInt16? = nil) throws {
        directory = NSTemporaryDirectory() + "cardpresent-print-\(UUID().uuidString.filter(\.isLetter))"
        try Self.control(["start", directory, "\(getpid())"] + (rawPort.map { ["\($0)"] } ?? []))
    }

    /// Administers the server: `cupsdisable receipts`.
    func administer(_ words: String...) throws {
        try Self.run("/usr/bin/env", words, ["CUPS_SERVER": socket, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    }

    /// The printer accepts jobs and does not finish them until the hold is released.
    func holdPrinter() throws -> PrinterHold { try PrinterHold(path: directory + "/hold") }

    /// Ends one of the server's programs as a crash does: `printer` or `cupsd`.
    func crash(_ program: String) throws {
        let text = try String(contentsOfFile: "\(directory)/\(program).pid", encoding: .utf8)
        guard let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(process, SIGKILL) == 0
        else { throw PrintServerError(status: errno) }
    }

    deinit {
        try? Self.control(["stop", directory])
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The documents that reached the printer, once there are so many. The queue calls a job completed when it
    /// has handed it over, and the printer stores it a moment later. The limit ends a test whose printer hangs.
    func printed(_ count: Int) throws -> [Data] {
        for _ in 0..<1200 where try stored().count < count { usleep(50_000) }
        return try stored()
    }

    /// What stands on the papers, once there are so many.
    func papers(_ count: Int) throws -> [String] {
        try printed(count).map { paper in
            let file = directory + "/paper.pdf"
            try paper.write(to: URL(fileURLWithPath: file))
            return try Self.run("/usr/bin/env", ["pdftotext", "-layout", file, "-"])
        }
    }

    /// The output of `receipts jobs` when nothing is open anymore. A queue needs a moment to notice that its printer is
    /// done. The limit ends a test whose queue hangs.
    func settled(_ jobs: () throws -> ProgramResult) throws -> [[String: Any]] {
        for _ in 0..<1200 {
            let list = try jobs().list()
            if list.allSatisfy({ $0["open"] as? Bool == false }) { return list }
            usleep(50_000)
        }
        return try jobs().list()
    }

    private func stored() throws -> [Data] {
        let folder = directory + "/printed"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
            .map { try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)) }
    }

    private static func control(_ arguments: [String]) throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
        try run(root.appendingPathComponent("Scripts/print-server").path, arguments)
    }

    @discardableResult
    private static func run(
        _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> String {
        let result = try Child(program: program, arguments, in: try Scratch(), environment: environment).result()
        guard result.status == 0 else { throw PrintServerError(status: result.status, text: result.error) }
        return result.output
    }
}

struct PrintServerError: Error {
    var status: Int32?
    var text = ""
}
