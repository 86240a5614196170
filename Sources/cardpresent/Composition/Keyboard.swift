internal import Determinism
internal import Glibc

/// Lines that a person types at this terminal, with a deadline.
struct Keyboard: Sendable {
    /// Why no line came.
    enum Failure: Error {
        /// Nobody finished in time.
        case timedOut
        /// The task was cancelled, or the terminal is gone.
        case ended
    }

    let time: any TimeSource
    /// The longest line; what is typed beyond it is left out.
    var longest = 64

    /// Whether somebody may be at the other end of standard input.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

    /// Between two looks at the clock and at the task.
    private static let interval: Int32 = 100

    /// Reads a line byte for byte, so that no `String` need ever hold it. Wipe what may be a PIN.
    ///
    /// - Parameters:
    ///   - echo: whether the terminal shows what is typed.
    ///   - patience: how long the whole line may take.
    /// - Returns: the line without its end.
    /// - Throws: ``Failure``
    func line(echo: Bool, within patience: Duration) throws(Failure) -> [UInt8] {
        guard !echo else { return try readLine(within: patience) }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw .ended }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { throw .ended }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        return try readLine(within: patience)
    }

    private func readLine(within patience: Duration) throws(Failure) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(longest)
        let start = time.reading()
        while time.elapsed(since: start) < patience {
            if Task.isCancelled { break }
            var keyboard = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&keyboard, 1, Self.interval)
            guard ready != 0 else { continue }
            if ready < 0 {
                guard errno == EINTR else { break }
                continue
            }
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { break }
            if byte == 0x0A { return line }
            if line.count < longest { line.append(byte) }
        }
        for index in line.indices { line[index] = 0 }
        throw !Task.isCancelled && time.elapsed(since: start) >= patience ? .timedOut : .ended
    }
}
