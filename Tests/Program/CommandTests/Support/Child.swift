import Foundation
import Glibc
import Testing

/// A running child process. Its output goes to files, or its stderr to a terminal, where it can also be typed for.
final class Child {
    let process: pid_t
    /// The near end of the terminal that is the child's stderr; negative when it has none.
    private let terminal: Int32
    /// The child holds the far end: it is closed when the child is gone.
    private let life: Int32
    private let outputFile: String
    private let errorFile: String

    /// How long a child may run, in milliseconds. It is there so that a child that hangs fails a test and does not stop
    /// them all; beside eight busy loops, one that works may take ten times longer than alone.
    static let longestRun: Int32 = 300_000

    /// The child's number of the socket that closes with it.
    private static let lifeNumber: Int32 = 9
    /// More than the tests have open at once.
    private static let mostDescriptors: Int32 = 512

    // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h. The calls around them are shown to C under _GNU_SOURCE
    // only, which not every build of a Swift module has.
    private static let setTerminalLock: UInt = 0x4004_5431
    private static let getTerminalNumber: UInt = 0x8004_5430

    convenience init(
        _ arguments: [String], in scratch: Scratch, input: String = "", environment: [String: String] = [:],
        onTerminal: Bool = false, typed: String? = nil
    ) throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Program.path),
            "the program is not built: run 'swift build --product cardpresent' first")
        try self.init(
            program: Program.path, arguments, in: scratch, input: input, environment: environment,
            onTerminal: onTerminal, typed: typed)
    }

    /// With `typed`, the terminal is stdin, too, and has this text in its line buffer before the child starts.
    /// With `takesSignals` no signal is blocked at first. Otherwise, those are that the thread of the test blocks.
    init(
        program: String, _ arguments: [String], in scratch: Scratch, input: String = "",
        environment: [String: String] = [:], onTerminal: Bool = false, typed: String? = nil,
        takesSignals: Bool = false
    ) throws {
        let run = UUID().uuidString.filter(\.isLetter)
        let folder = NSTemporaryDirectory() + "/cardpresent-child-" + run
        (outputFile, errorFile) = (folder + ".out", folder + ".err")
        let inputFile = folder + ".in"
        try Data(input.utf8).write(to: URL(fileURLWithPath: inputFile))
        defer { unlink(inputFile) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if typed == nil { posix_spawn_file_actions_addopen(&actions, 0, inputFile, O_RDONLY, 0) }
        posix_spawn_file_actions_addopen(&actions, 1, outputFile, O_WRONLY | O_CREAT, 0o600)
        if onTerminal || typed != nil {
            terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var lock: Int32 = 0
            var number: UInt32 = 0
            guard terminal >= 0, ioctl(terminal, Self.setTerminalLock, &lock) == 0,
                ioctl(terminal, Self.getTerminalNumber, &number) == 0
            else { throw ChildError(call: "/dev/ptmx", code: errno) }
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/pts/\(number)", O_RDWR | O_NOCTTY, 0)
            if let typed {
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR | O_NOCTTY, 0)
                let bytes = Array(typed.utf8)
                guard write(terminal, bytes, bytes.count) == bytes.count else {
                    throw ChildError(call: "write", code: errno)
                }
            }
        } else {
            terminal = -1
            posix_spawn_file_actions_addopen(&actions, 2, errorFile, O_WRONLY | O_CREAT, 0o600)
        }
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ChildError(call: "socketpair", code: errno) }
        life = ends[0]
        posix_spawn_file_actions_adddup2(&actions, ends[1], Self.lifeNumber)
        // What other tests have open would stay open until this child ends, and who reads a pipe of theirs to its end
        // would wait for that.
        for number in 3..<Self.mostDescriptors where number != Self.lifeNumber {
            posix_spawn_file_actions_addclose(&actions, number)
        }
        defer { close(ends[1]) }

        var variables = ["HOME": scratch.folder, "TZ": "UTC", "LC_ALL": "C.UTF-8"]
        variables["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        variables.merge(environment) { $1 }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + settings { free(pointer) } }
        var process: pid_t = 0
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if takesSignals {
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        }
        let code = posix_spawn(&process, program, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw ChildError(call: "posix_spawn", code: code) }
        self.process = process
    }

    deinit {
        close(life)
        if terminal >= 0 { close(terminal) }
        unlink(outputFile)
        unlink(errorFile)
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Waits for the end, for at most this many milliseconds.
    func result(within limit: Int32 = Child.longestRun) throws -> ProgramResult {
        var shown = ""
        if terminal >= 0 { shown = try read(until: nil) }
        var end = pollfd(fd: life, events: Int16(POLLIN), revents: 0)
        let isOver = poll(&end, 1, limit) == 1
        if !isOver { send(SIGKILL) }
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process else { throw ChildError(call: "waitpid", code: errno) }
        try #require(isOver, "the program did not end")
        let ending = status & 0x7F
        return ProgramResult(
            status: ending == 0 ? status >> 8 & 0xFF : nil, signal: ending == 0 ? nil : ending,
            output: String(
                decoding: (try? Data(contentsOf: URL(fileURLWithPath: outputFile))) ?? Data(), as: UTF8.self),
            error: terminal >= 0
                ? shown
                : String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: errorFile))) ?? Data(), as: UTF8.self))
    }

    /// Reads the terminal until a text has come, or the child has closed it.
    @discardableResult
    func read(until text: String?) throws -> String {
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(Self.longestRun)
        while true {
            guard clock.now < deadline else { throw ChildError(call: "read", code: ETIMEDOUT) }
            var screen = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&screen, 1, Self.longestRun) == 1 else { throw ChildError(call: "poll", code: ETIMEDOUT) }
            let count = Glibc.read(terminal, &buffer, buffer.count)
            // Reading from a terminal whose other end is closed returns EIO.
            guard count > 0 else { break }
            shown += buffer.prefix(count)
            if let text, String(decoding: shown, as: UTF8.self).contains(text) { break }
        }
        return String(decoding: shown, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    /// Reads what the child has written to stdout so far.
    var output: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }

    /// Reads what the child has written to stderr so far.
    var errorOutput: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    /// Waits until something is so, which the child brings about. A look can take long, such as one by another program.
    ///
    /// - Returns: whether it came about before the child ended, and before it had run for as long as it may.
    func wait(until isSo: () -> Bool) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(Self.longestRun)
        while clock.now < deadline {
            if isSo() { return true }
            var end = pollfd(fd: life, events: Int16(POLLIN), revents: 0)
            guard poll(&end, 1, 1) == 0 else { break }
        }
        return isSo()
    }

    /// Whether every thread of the child waits for something.
    var isAsleep: Bool {
        // proc(5): the state is the letter behind the name in parentheses.
        threads("stat").allSatisfy { $0.split(separator: ")").last?.hasPrefix(" S") == true }
    }

    /// Whether a thread of the child waits in write(2) for room in a pipe. Where the kernel does not tell users what
    /// their processes wait for, whether all threads wait for something.
    var isBlockedByPipe: Bool {
        let places = threads("wchan")
        let isTold = places.contains { !$0.isEmpty && $0 != "0" }
        return isTold ? places.contains { $0.hasSuffix("pipe_write") } : isAsleep
    }

    /// A file of proc(5) for each thread of the child; empty for a file that can't be read.
    private func threads(_ file: String) -> [String] {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.map { (try? String(contentsOfFile: "\(folder)/\($0)/\(file)", encoding: .utf8)) ?? "" }
    }
}
