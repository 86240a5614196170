import Foundation
import Testing

/// The built program, run as a child that sees the bridge's devices as this process does.
final class RunningProgram {
    private let process: pid_t
    private let folder: String

    /// The program lies beside the test bundle.
    init(_ arguments: [String]) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("cardpresent").path
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            "the program is not built: run 'swift build --product cardpresent' first")
        folder = FileManager.default.temporaryDirectory.path + "/reader-program-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, name) in [(Int32(1), "out"), (2, "err")] {
            posix_spawn_file_actions_addopen(&actions, number, "\(folder)/\(name)", O_WRONLY | O_CREAT, 0o600)
        }
        var variables = ProcessInfo.processInfo.environment
        variables["HOME"] = folder
        variables["XDG_DATA_HOME"] = nil
        variables["XDG_CONFIG_HOME"] = nil
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + settings { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, nil, &words, &settings)
        try #require(code == 0, "posix_spawn: \(code)")
        self.process = process
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var output: String { text("out") }
    var errorOutput: String { text("err") }

    /// The words that the lines of JSON begin with: what has happened so far.
    var changes: [String] {
        output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["change"] as? String
        }
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Waits for the end, a minute at most.
    ///
    /// - Returns: the exit code; nil when the program had to be killed.
    func end() async throws -> Int32? {
        var status: Int32 = 0
        for _ in 0..<12_000 {
            if waitpid(process, &status, WNOHANG) == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : nil }
            try await Task.sleep(for: .milliseconds(5))
        }
        send(SIGKILL)
        waitpid(process, &status, 0)
        return nil
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
    }
}
