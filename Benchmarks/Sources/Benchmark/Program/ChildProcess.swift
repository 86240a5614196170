import Glibc

/// A finished program with its time and memory.
struct ChildProcess {
    /// The time from start to end.
    let milliseconds: Double
    /// The peak memory, in MB (wait4(2), ru_maxrss). The kernel starts counting at the size of this process, so this
    /// process must be small: run this benchmark first.
    let peakMemory: Double

    /// - Throws: when the program cannot be started, or its exit code is not 0.
    init(_ path: String, _ arguments: [String] = []) async throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [1, 2] as [CInt] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process = pid_t()
        var status: CInt = 0
        var usage = rusage()
        var code: CInt = 0
        let elapsed = await seconds {
            code = posix_spawn(&process, path, &actions, nil, words, environ)
            if code == 0 { while wait4(process, &status, 0, &usage) < 0, errno == EINTR {} }
        }
        guard code == 0 else { throw BenchmarkError("\(path): " + String(cString: strerror(code))) }
        guard status == 0 else {
            throw BenchmarkError("\(path) \(arguments.joined(separator: " ")) ended with \(status)")
        }
        milliseconds = elapsed * 1000
        peakMemory = Double(usage.ru_maxrss) * 1024 / 1_000_000
    }
}
