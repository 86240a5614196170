import Glibc

/// A server in a separate process, which ends with this object.
final class RunningServer {
    /// The first output of the server.
    let words: String
    let process: pid_t

    /// - Parameters:
    ///   - program: the path of the program.
    ///   - arguments: the arguments of the program.
    ///   - end: the end of the server's first output.
    /// - Throws: `BenchmarkError` when the server does not start.
    init(_ program: String, _ arguments: [String], until end: String) throws {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process = pid_t()
        // A thread of a task blocks all signals, and a child would, too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let code = posix_spawn(&process, program, &actions, &attributes, words, environ)
        close(ends[1])
        guard code == 0 else { throw BenchmarkError("\(program): " + String(cString: strerror(code))) }
        self.process = process
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains(end) {
            let count = read(ends[0], &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        self.words = text
        guard text.contains(end) else { throw BenchmarkError("the server did not begin: \(text)") }
    }

    /// Returns the rest of the first line after `words`: the address.
    func address(after beginning: String) throws -> String {
        guard let line = words.split(separator: "\n").first, line.hasPrefix(beginning) else {
            throw BenchmarkError("the server does not say where it is: \(words)")
        }
        return String(line.dropFirst(beginning.count))
    }

    deinit {
        kill(process, SIGTERM)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
