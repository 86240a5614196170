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
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(command: command) }
        return data
    }
}
