internal import Dispatch
internal import Glibc

/// Runs programs as child processes, and ends those that take too long.
public struct ProcessRunner: CommandRunner {
    /// How long a program may take, in milliseconds.
    private let patience: Int32

    /// - Parameter seconds: how long a program may take.
    public init(seconds: Int32 = 60) { patience = max(1, min(seconds, 3600)) * 1000 }

    public func run(_ command: [String]) async throws(RepairError) {
        let patience = patience
        let result: Result<Void, RepairError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { @Sendable in
                do throws(RepairError) {
                    continuation.resume(returning: .success(try Self.wait(for: command, patience)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try result.get()
    }

    private static func wait(for command: [String], _ patience: Int32) throws(RepairError) {
        guard let program = command.first else { throw .notStarted(program: "", reason: "no program is named") }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .notStarted(program: program, reason: text(errno)) }
        defer { close(ends[0]) }
        let child: pid_t
        do throws(RepairError) {
            child = try start(program, command, output: ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        // The child holds the other end: the output is at its end when the child is.
        close(ends[1])
        let output = read(ends[0], patience)
        if output == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard let output else { throw .timedOut(program: program) }
        // wait(2): the low seven bits are the signal, the next byte is the exit status.
        guard status == 0 else {
            let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            throw .failed(program: program, status: code, message: lastLine(of: output))
        }
    }

    /// POSIX_SPAWN_SETSID of spawn.h (glibc 2.26).
    private static let newSession: Int16 = 0x80

    private static func start(_ program: String, _ command: [String], output: Int32) throws(RepairError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        // In a session of its own it has no terminal: it can ask nobody for a password, and leave no terminal as it
        // should not be.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, newSession)
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        // Administrators' programs are not on every user's path. Nothing else of the caller's environment goes along.
        var variables: [UnsafeMutablePointer<CChar>?] = [
            strdup("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), strdup("LC_ALL=C"), nil,
        ]
        defer { for pointer in words + variables { free(pointer) } }
        var child: pid_t = 0
        var failure = ENOENT
        // The search of posix_spawnp uses the caller's path, which a user may have set to anything.
        let places = program.contains("/") ? [""] : ["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"]
        for place in places where failure == ENOENT {
            failure = posix_spawn(&child, place + program, &actions, &attributes, &words, &variables)
        }
        guard failure == 0 else { throw .notStarted(program: program, reason: text(failure)) }
        return child
    }

    /// Everything until the end; nil when it does not come in time.
    private static func read(_ descriptor: Int32, _ patience: Int32) -> [UInt8]? {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        let deadline = milliseconds() + Int64(patience)
        while true {
            var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = deadline - milliseconds()
            guard left > 0 else { return nil }
            let ready = poll(&end, 1, Int32(clamping: left))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return output }
            // The last words are what counts.
            output = (output + chunk.prefix(count)).suffix(4096)
        }
    }

    private static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func lastLine(of output: [UInt8]) -> String {
        let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
        let scalars = (lines.last ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
