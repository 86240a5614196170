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

/// What this process holds of the system that a reader could leave behind.
struct ProcessResources: Hashable, CustomStringConvertible {
    /// Open files by what they are: device nodes, sockets, timers and so on.
    var files: [String: Int]
    /// Threads on which libusb works.
    var eventThreads: Int

    static var now: ProcessResources {
        var files: [String: Int] = [:]
        for number in names(in: "/proc/self/fd") {
            // The directory itself is open while it is read, and is gone when it is looked at.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { continue }
            if target.hasPrefix("socket:"), Int32(number).map(isInherited) != false { continue }
            // The address of a device does not identify it: it changes when the device is plugged in again.
            let kind =
                target.contains(Self.nodes)
                ? Self.nodes : String(target.prefix { $0 != "[" || target.hasPrefix("anon") })
            files[kind, default: 0] += 1
        }
        let threads = names(in: "/proc/self/task").count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "usb-events\n"
        }
        return ProcessResources(files: files, eventThreads: threads)
    }

    /// Open nodes of USB devices.
    var deviceFiles: Int { files[Self.nodes] ?? 0 }

    private static let nodes = "/dev/bus/usb/"

    /// Whether programs that this one starts would get the file. Of all sockets only those of umockdev's preloaded
    /// library are so, one for each device that is open; when several threads open and close files it loses one now
    /// and then.
    private static func isInherited(_ file: Int32) -> Bool {
        let flags = fcntl(file, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }

    /// Every thread of the process.
    static var threads: Int { names(in: "/proc/self/task").count }

    var description: String {
        "\(eventThreads) event threads, "
            + files.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            .joined(separator: ", ")
    }

    private static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
