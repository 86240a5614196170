public import Determinism
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Hands messages to the machine's mail program, which sends them when it can: postfix, exim, msmtp and others all come
/// with a `sendmail` that reads a message and its recipients from standard input.
public struct Sendmail: Sendable {
    /// Where the program is on most machines (Filesystem Hierarchy Standard).
    public static let standardPath = "/usr/sbin/sendmail"

    private let path: String
    private let environment: [String: String]
    private let patience: Duration
    private let time: any TimeSource

    /// - Parameters:
    ///   - path: of the program.
    ///   - environment: what the program finds its own configuration by.
    ///   - patience: how long it may take.
    ///   - time: what to wait on.
    public init(
        path: String = Sendmail.standardPath, environment: [String: String], patience: Duration = .seconds(30),
        time: any TimeSource
    ) {
        (self.path, self.environment, self.patience, self.time) = (path, environment, patience, time)
    }

    /// Hands a message over, once. When this returns the mail program has all of it.
    ///
    /// The program reads it from a file that is whole before the program starts, so it never takes a half of one.
    ///
    /// - Throws: ``SendmailError``
    public func handOver(_ message: EncodedMessage) async throws(SendmailError) {
        let output = try scratchFile(holding: [])
        defer { close(output) }
        let child = RunningChild(try start(reading: message.systemBytes, output: output))
        let answer = FirstAnswer<Int32, SendmailError>()
        let deadline = Task(priority: .high) { [time, patience] in
            guard (try? await time.sleep(for: patience)) != nil else { return }
            child.end()
            answer.give(.failure(.noAnswer))
        }
        defer { deadline.cancel() }
        let result = await withCheckedContinuation { continuation in
            answer.wait(continuation)
            DispatchQueue.global().async { @Sendable in answer.give(.success(child.wait())) }
        }
        if let failure = SendmailError(status: try result.get(), saying: ScratchFile.ending(of: output)) {
            throw failure
        }
    }

    private func scratchFile(holding bytes: [UInt8]) throws(SendmailError) -> CInt {
        do throws(ScratchFileError) { return try ScratchFile.open(holding: bytes) } catch {
            throw .notStarted(reason: error.reason)
        }
    }

    /// POSIX_SPAWN_SETSID of spawn.h (glibc 2.26).
    private static let newSession: Int16 = 0x80

    /// `-t` takes the recipients from the message, `-i` lets no line of it end it.
    private func start(reading message: [UInt8], output: CInt) throws(SendmailError) -> pid_t {
        let input = try scratchFile(holding: message)
        defer { close(input) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        // In a session of its own it has no terminal to ask for a password, and Ctrl-C does not stop it in the middle.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Self.newSession)
        let command: [String] = [path, "-t", "-i"]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, path, &actions, &attributes, &words, &variables)
        guard failure == 0 else { throw .notStarted(reason: String(cString: strerror(failure))) }
        return child
    }
}

/// A process of our own, which is never ended once it has ended by itself: its number may be another's by then.
private final class RunningChild: Sendable {
    private let number: pid_t
    private let isRunning = Mutex(true)

    init(_ number: pid_t) { self.number = number }

    func end() {
        isRunning.withLock { if $0 { kill(number, SIGKILL) } }
    }

    /// Blocks until it has ended.
    ///
    /// - Returns: what wait(2) says.
    func wait() -> Int32 {
        // Left as it is at first: as long as nobody has asked how it ended, the number is its own.
        var information = siginfo_t()
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return isRunning.withLock { isRunning in
            isRunning = false
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0 {
                guard errno == EINTR else { return -1 }
            }
            return status
        }
    }
}
