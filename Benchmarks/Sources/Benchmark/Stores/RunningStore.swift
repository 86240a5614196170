internal import Glibc

/// `cardpresent simulate store` in a process of its own, until this is let go of.
final class RunningStore {
    /// Without a slash at the end.
    let address: String
    let passwordFile: String
    private let process: pid_t

    /// - Throws: `BenchmarkError` when it does not say where it is.
    init(program: String, folder: String, orders: Int) throws {
        passwordFile = folder + "/store-password"
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let arguments = [
            program, "simulate", "store", "--port", "0", "--seed", "1", "--orders", String(orders), "--password-file",
            passwordFile, "--token-file", folder + "/store-token",
        ]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, nil, words, environ)
        close(ends[1])
        guard code == 0 else { throw BenchmarkError("\(program): " + String(cString: strerror(code))) }
        self.process = process
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains("\n  site") {
            let count = read(ends[0], &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        guard let line = text.split(separator: "\n").first, line.hasPrefix("Store at ") else {
            throw BenchmarkError("the store did not begin: \(text)")
        }
        address = String(line.dropFirst("Store at ".count))
    }

    deinit {
        kill(process, SIGINT)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
