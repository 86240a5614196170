import Determinism
import Dispatch
import Foundation
import Glibc
import Simulator

/// A peer of a bridge: it listens like pcscd or QEMU, and sends scripted data. Blocking calls run on a
/// separate thread.
final class TestPeer: Sendable {
    let address: BridgeAddress
    private let listener: Int32
    private let queue = DispatchQueue(label: "far side")

    struct Failure: Error { var call: String; var code: Int32 }

    /// A path for a UNIX socket that is not there yet.
    static func freePath() -> BridgeAddress { .unix(path: NSTemporaryDirectory() + "/bridge-\(UUID().uuidString)") }

    /// Listens at a free port of this machine, or at a path.
    init(at path: BridgeAddress? = nil) throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket: Int32
        if case .unix(let name)? = path {
            socket = Glibc.socket(AF_UNIX, kind, 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
            try Self.check("bind", Self.bind(socket, &address))
            self.address = .unix(path: name)
        } else {
            socket = Glibc.socket(AF_INET, kind, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try Self.check("bind", Self.bind(socket, &address))
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutableBytes(of: &address) {
                getsockname(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
            try Self.check("getsockname", code)
            self.address = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port))
        }
        try Self.check("listen", listen(socket, 4))
        listener = socket
    }

    deinit {
        close(listener)
        if case .unix(let path) = address { unlink(path) }
    }

    /// Takes the next connection, holds a conversation on it, and ends it.
    func meet<Value: Sendable>(_ talk: @escaping @Sendable (Conversation) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [listener] in
                continuation.resume(with: Result { try talk(try Conversation(accepting: listener)) })
            }
        }
    }

    private static func bind<Address>(_ socket: Int32, _ address: inout Address) -> Int32 {
        withUnsafeMutableBytes(of: &address) {
            Glibc.bind(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }

    fileprivate static func check(_ call: String, _ code: Int32) throws {
        guard code >= 0 else { throw Failure(call: call, code: errno) }
    }
}

/// One connection. Every wait ends after a minute.
final class Conversation {
    private let socket: Int32

    fileprivate init(accepting listener: Int32) throws {
        var incoming = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&incoming, 1, 60_000) == 1 else { throw TestPeer.Failure(call: "accept", code: ETIMEDOUT) }
        socket = accept(listener, nil, nil)
        try TestPeer.check("accept", socket)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestPeer.Failure(call: "send", code: errno)
        }
    }

    /// This many bytes, or fewer if the bridge has ended the connection.
    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let taken = recv(socket, &buffer, buffer.count, 0)
            // A bridge that ends before it read everything ends like this.
            if taken < 0, errno == ECONNRESET { break }
            guard taken >= 0 else { throw TestPeer.Failure(call: "recv", code: errno) }
            guard taken > 0 else { break }
            bytes += buffer.prefix(taken)
        }
        return bytes
    }
}

/// Reproducible noise for the bridges.
struct Noise {
    private let random: SeededRandomSource

    init(seed: UInt64) { random = SeededRandomSource(seed: seed) }

    func number(_ range: ClosedRange<UInt32>) -> Int { Int(random.number(in: range)) }

    func bytes(_ most: UInt32) -> [UInt8] { random.bytes(number(0...most)) }

    /// Valid input with a few bytes changed, removed, or inserted.
    func mutated(_ good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0..<number(1...3) {
            let index = number(0...UInt32(bytes.count))
            switch number(0...2) {
            case 0 where index < bytes.count: bytes[index] = random.bytes(1)[0]
            case 1 where index < bytes.count: bytes.remove(at: index)
            default: bytes.insert(random.bytes(1)[0], at: index)
            }
        }
        return bytes
    }
}
