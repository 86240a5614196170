import Foundation

/// A program of the system that reads what was rendered.
enum Tool {
    struct Failure: Error { var command: [String] }

    /// Runs it on a file with these bytes, whose path is its last argument.
    static func run(_ command: String..., on bytes: [UInt8], after: [String] = []) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("receipt-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + [file.path] + after
        // Reading a pipe fails when the signal of another child's end comes in between.
        let output = file.appendingPathExtension("output")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let handle = try FileHandle(forWritingTo: output)
        defer { try? handle.close() }
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(command: command) }
        return try Data(contentsOf: output)
    }
}
