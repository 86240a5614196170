import Foundation
import Glibc
import Testing

/// A named pipe that `--trace` writes into, so full that the program stops at a chosen exchange with the card.
///
/// The pipe holds one page. What is left free takes exactly the lines before the chosen one; the program
/// sleeps in the write of the next line, after the card has answered and before anything else happens.
final class TracePipe {
    let path: String
    private let descriptor: Int32
    private static let page = 4096

    /// Makes the pipe with room for so many bytes, which the program can write before it stops.
    init(in scratch: Scratch, room: Int) throws {
        path = scratch.file("trace-\(UUID().uuidString.filter(\.isLetter))")
        guard mkfifo(path, 0o600) == 0 else { throw ChildError(call: "mkfifo", code: errno) }
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        // F_SETPIPE_SZ, which glibc shows under _GNU_SOURCE only.
        guard descriptor >= 0, fcntl(descriptor, 1031, Int32(Self.page)) >= 0, room < Self.page else {
            throw ChildError(call: "pipe", code: errno)
        }
        let filler = [UInt8](repeating: 0x20, count: Self.page - room)
        guard Glibc.write(descriptor, filler, filler.count) == filler.count else {
            throw ChildError(call: "write", code: errno)
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Waits until the program has written all that there is room for, and waits to write more.
    func waitUntilFull(_ child: Child) throws {
        let isStopped = child.wait {
            var count: Int32 = 0
            return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count >= Self.page && child.isBlockedByPipe
        }
        try #require(isStopped, "the program ended before it stopped")
    }

    /// Takes everything out, until something is so or the child has ended.
    func drain(_ child: Child, until isDone: () -> Bool = { false }) {
        var buffer = [UInt8](repeating: 0, count: Self.page)
        _ = child.wait {
            while Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
            return isDone()
        }
    }
}
