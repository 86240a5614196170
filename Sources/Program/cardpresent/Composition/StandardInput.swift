import Dispatch
import Glibc
import Simulator
import Synchronization

/// Lines from standard input while a command runs.
struct StandardInput {
    /// The maximum length of a line. Longer lines are cut.
    private static let longest = 256

    /// The lines without their line breaks, until standard input ends. A background process of a terminal gets none,
    /// because the terminal belongs to the foreground process.
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
        // If the program is moved to the background, reads fail instead of stopping it.
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

    /// Stops reading.
    func end() { source?.cancel() }
}

/// The current line.
private final class LineBuffer: Sendable {
    private let limit: Int
    private let bytes: Mutex<[UInt8]>

    init(limit: Int) {
        self.limit = limit
        var room: [UInt8] = []
        // Reserves the capacity, so that no part of a secret stays in a smaller buffer.
        room.reserveCapacity(limit)
        bytes = Mutex(room)
    }

    /// - Returns: The line that this byte ends; nil when it is empty or incomplete.
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
