import Foundation
import Glibc
import Synchronization
import Testing

/// A proxy of a print server that stops permanently at a given IPP operation:
/// before the server gets it, or before the client gets its answer, when the server has all of it and has answered.
final class IPPGate: Sendable {
    /// RFC 8011 §5.4.15
    enum Operation: UInt8 {
        case createJob = 0x05
        case sendDocument = 0x06
        case getJobAttributes = 0x09
        case getPrinterAttributes = 0x0B
    }

    enum Place {
        case request, answer
    }

    /// The socket for the client: the value of `CUPS_SERVER`.
    let socket: String
    private let listener: Int32
    private let server: String
    private let operation: Operation
    private let place: Place
    private let passage = Mutex(Passage.free)

    private enum Passage {
        case free
        /// The server has got the beginning of the operation, or more.
        case asked
        /// Nothing gets through any more.
        case closed
    }

    init(to server: String, in scratch: Scratch, at operation: Operation, _ place: Place) throws {
        socket = scratch.file("gate-\(UUID().uuidString.filter(\.isLetter).prefix(8)).sock")
        (self.server, self.operation, self.place) = (server, operation, place)
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = Self.withAddress(socket) { bind(listener, $0, $1) }
        try #require(bound == 0 && listen(listener, 16) == 0)
        let thread = Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                pass(client)
            }
        }
        thread.start()
    }

    /// Whether the client waits for what will never come.
    var isHolding: Bool { passage.withLock { $0 == .closed } }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        unlink(socket)
    }

    private func pass(_ client: Int32) {
        let upstream = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
            Glibc.close(client)
            Glibc.close(upstream)
            return
        }
        Thread { [self] in
            var seen: [UInt8] = []
            Self.copy(from: client, to: upstream) { bytes in
                seen += bytes
                defer { seen = Array(seen.suffix(9)) }
                guard begins(seen) else { return true }
                passage.withLock { $0 = place == .answer ? .asked : .closed }
                return place == .answer
            }
            shutdown(upstream, Int32(SHUT_WR))
        }.start()
        Thread { [self] in
            Self.copy(from: upstream, to: client) { bytes in
                passage.withLock { passage in
                    if passage == .asked, Self.answers(bytes) { passage = .closed }
                    return passage != .closed
                }
            }
        }.start()
    }

    /// Whether the operation's head is in the bytes: version 2.0, its number, a number of the request, and the first
    /// attribute, which is the character set (RFC 8010 §3.1).
    private func begins(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 10 else { return false }
        return (0...(bytes.count - 10)).contains { start in
            bytes[start] == 2 && bytes[start + 1] == 0 && bytes[start + 2] == 0
                && bytes[start + 3] == operation.rawValue && bytes[start + 8] == 0x01 && bytes[start + 9] == 0x47
        }
    }

    /// Whether there is more in the bytes than the leave to send a document (RFC 9110 §15.2.1).
    private static func answers(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.ranges(of: "HTTP/1.1 ").contains { !text[$0.upperBound...].hasPrefix("100") }
    }

    private static func copy(from source: Int32, to sink: Int32, passing: ([UInt8]) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return }
            guard passing(Array(buffer[..<count])) else {
                // Nothing more, until the client has gone.
                while read(source, &buffer, buffer.count) > 0 {}
                return
            }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes { write(sink, $0.baseAddress, $0.count) }
                guard written > 0 else { return }
                sent += written
            }
        }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
