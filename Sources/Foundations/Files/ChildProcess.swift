import Concurrency
public import Determinism
import Dispatch
import Glibc
import Synchronization

/// Runs a program as a child process and captures the end of its output.
///
/// The child gets a session of its own: it has no terminal to ask for a password, and Ctrl-C does not reach it.
public enum ChildProcess {
    /// Why a child process has no result.
    public enum Failure: Error, Hashable, Sendable {
        /// The system could not start the program.
        case notStarted(FileError)
        /// The program did not end in time and was killed.
        case timedOut
    }

    /// How a child process ended, and its last output.
    public struct Result: Hashable, Sendable {
        /// The exit status, 0...255; nil when a signal ended the program.
        public let exitStatus: Int32?
        /// The signal that ended the program; nil when the program exited.
        public let signal: Int32?
        /// The last 4096 bytes of standard output and standard error together.
        public let output: [UInt8]

        init(waitStatus: Int32, output: [UInt8]) {
            // wait(2): the low seven bits are the signal, the next byte is the exit status.
            let signal = waitStatus & 0x7F
            (exitStatus, self.signal) = signal == 0 ? (waitStatus >> 8 & 0xFF, nil) : (nil, signal)
            self.output = output
        }

        /// The last line of the output, without control and format characters.
        public var lastLine: String {
            let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
            let scalars = (lines.last ?? "").unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format: false
                default: true
                }
            }
            return String(String.UnicodeScalarView(scalars))
        }
    }

    /// Runs a program to its end.
    ///
    /// The program reads its input from a file that is complete before the program starts, so it never sees a part of
    /// it.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - arguments: the arguments after the program's name.
    ///   - environment: the whole environment of the program.
    ///   - input: the bytes on standard input.
    ///   - limit: the longest run. The program is killed after it.
    ///   - time: the clock that measures `limit`.
    /// - Returns: how the program ended.
    /// - Throws: ``Failure``
    public static func run(
        _ path: String, _ arguments: [String], environment: [String: String], input: [UInt8] = [], limit: Duration,
        time: any TimeSource
    ) async throws(Failure) -> Result {
        let output = try scratchFile(holding: [])
        defer { close(output) }
        let child = RunningChild(try start([path] + arguments, environment, input: input, output: output))
        let answer = FirstAnswer<Int32, Failure>()
        let deadline = Task(priority: .high) {
            guard (try? await time.sleep(for: limit)) != nil else { return }
            child.kill { answer.give(.failure(.timedOut)) }
        }
        defer { deadline.cancel() }
        let result = await withCheckedContinuation { continuation in
            answer.wait(continuation)
            DispatchQueue.global().async { @Sendable in answer.give(.success(child.wait())) }
        }
        return Result(waitStatus: try result.get(), output: ScratchFile.ending(of: output))
    }

    /// Starts a program that runs beside this one, with empty input.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - arguments: the arguments after the program's name.
    ///   - environment: the whole environment of the program.
    /// - Returns: the running program.
    /// - Throws: ``Failure``
    public static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String]
    ) throws(Failure) -> SpawnedProcess {
        let output = try scratchFile(holding: [])
        do throws(Failure) {
            return SpawnedProcess(try start([path] + arguments, environment, input: [], output: output), output)
        } catch {
            close(output)
            throw error
        }
    }

    private static func scratchFile(holding bytes: [UInt8]) throws(Failure) -> CInt {
        do throws(FileError) { return try ScratchFile.open(holding: bytes) } catch { throw .notStarted(error) }
    }

    /// POSIX_SPAWN_SETSID of spawn.h (glibc 2.26).
    private static let newSession: Int16 = 0x80

    private static func start(
        _ command: [String], _ environment: [String: String], input bytes: [UInt8], output: CInt
    ) throws(Failure) -> pid_t {
        let input = try scratchFile(holding: bytes)
        defer { close(input) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, newSession)
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, command[0], &actions, &attributes, &words, &variables)
        guard failure == 0 else { throw .notStarted(FileError(code: failure)) }
        return child
    }
}

/// A child process that is never killed after it has ended: its process number may belong to another process by then.
private final class RunningChild: Sendable {
    private let number: pid_t
    private let isRunning = Mutex(true)

    init(_ number: pid_t) { self.number = number }

    /// Kills the process and says so, if it has not ended. ``wait()`` returns only after that.
    func kill(saying: () -> Void) {
        isRunning.withLock { isRunning in
            guard isRunning else { return }
            Glibc.kill(number, SIGKILL)
            saying()
        }
    }

    /// Blocks until the process has ended. Returns the status of wait(2).
    func wait() -> Int32 {
        // WNOWAIT leaves the process waitable: until waitpid below, its number stays its own.
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

/// A program that runs beside this one. It goes on when this object is released.
public final class SpawnedProcess: Sendable {
    private let number: pid_t
    private let output: CInt
    private let result = Mutex<ChildProcess.Result?>(nil)

    fileprivate init(_ number: pid_t, _ output: CInt) { (self.number, self.output) = (number, output) }

    deinit { close(output) }

    /// Returns how the program ended; nil while it runs. Does not wait.
    public func ended() -> ChildProcess.Result? {
        result.withLock { result in
            if let result { return result }
            var status: Int32 = 0
            guard waitpid(number, &status, WNOHANG) == number else { return nil }
            result = ChildProcess.Result(waitStatus: status, output: ScratchFile.ending(of: output))
            return result
        }
    }

    /// Ends the program at once, also one that is stopped, and waits for its end.
    public func kill() {
        result.withLock { result in
            guard result == nil else { return }
            Glibc.kill(number, SIGKILL)
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0 { guard errno == EINTR else { return } }
            result = ChildProcess.Result(waitStatus: status, output: ScratchFile.ending(of: output))
        }
    }
}

/// A file without a name: no other process can open it, and it is deleted with its last descriptor.
private enum ScratchFile {
    /// The most bytes that are read back.
    private static let endingLimit = 4096

    /// Returns the descriptor of a file with these bytes, at its beginning. The caller closes it.
    static func open(holding bytes: [UInt8]) throws(FileError) -> CInt {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder.isEmpty ? "/tmp" : folder)/cardpresent-XXXXXX".utf8CString)
        // mkstemp gives the file to its owner alone.
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw FileError(code: errno) }
        unlink(path)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, FileStorage.writeAll(bytes, to: descriptor),
            lseek(descriptor, 0, SEEK_SET) == 0
        else {
            let code = errno
            close(descriptor)
            throw FileError(code: code)
        }
        return descriptor
    }

    /// Returns the last bytes of the file, wherever its descriptor stands.
    static func ending(of descriptor: CInt) -> [UInt8] {
        let length = lseek(descriptor, 0, SEEK_END)
        guard length > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(Int(length), endingLimit))
        let count = pread(descriptor, &bytes, bytes.count, length - off_t(bytes.count))
        return Array(bytes.prefix(max(0, count)))
    }
}
