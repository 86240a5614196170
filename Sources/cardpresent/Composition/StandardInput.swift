internal import Dispatch
internal import Glibc
internal import Simulator
internal import Synchronization

/// Lines that somebody types, or a program writes, while a command runs.
struct StandardInput {
    /// The longest line; a longer one is cut.
    private static let longest = 256

    /// The lines, without their ends, until standard input ends. A program in the background of a terminal gets
    /// none: the terminal is another's.
    let lines: AsyncStream<SealedBytes>
    private let source: (any DispatchSourceRead)?

    init() {
        let (lines, inbox) = AsyncStream<SealedBytes>.makeStream()
        self.lines = lines
        guard isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp() else {
            source = nil
            inbox.finish()
            return
        }
        // Should the program be sent to the background, a read fails instead of stopping it.
        signal(SIGTTIN, SIG_IGN)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "cardpresent.input"))
        let line = LineBuffer(limit: Self.longest)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: Self.longest)
            defer { for index in bytes.indices { bytes[index] = 0 } }
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else {
                if count < 0, errno == EINTR || errno == EAGAIN { return }
                inbox.finish()
                source.cancel()
                return
            }
            for byte in bytes.prefix(count) { line.take(byte).map { _ = inbox.yield($0) } }
        }
        self.source = source
        source.resume()
    }

    /// Reads no more.
    func end() { source?.cancel() }
}

/// The line that is being typed.
private final class LineBuffer: Sendable {
    private let limit: Int
    private let bytes: Mutex<[UInt8]>

    init(limit: Int) {
        self.limit = limit
        var room: [UInt8] = []
        // So that nothing is left behind in a smaller one.
        room.reserveCapacity(limit)
        bytes = Mutex(room)
    }

    /// - Returns: the line that this byte ends, if there is anything in it.
    func take(_ byte: UInt8) -> SealedBytes? {
        bytes.withLock { bytes in
            guard byte == 0x0A else {
                if bytes.count < limit { bytes.append(byte) }
                return nil
            }
            guard !bytes.isEmpty else { return nil }
            let line = SealedBytes(bytes)
            for index in bytes.indices { bytes[index] = 0 }
            bytes.removeAll(keepingCapacity: true)
            return line
        }
    }
}
