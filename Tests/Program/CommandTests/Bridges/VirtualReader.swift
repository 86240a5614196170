import Foundation
import Glibc
import Testing

/// A private pcscd with a virtual reader, started by `Scripts/virtual-reader`.
final class VirtualReader {
    /// The reader's two slots, as pcscd calls them.
    static let name = "CardPresent 00 00"
    static let secondName = "CardPresent 00 01"

    /// What programs need to find this pcscd.
    let environment: [String: String]
    /// Where a card connects, `HOST:PORT`.
    let address: String
    private let directory: String

    /// With `isForThisProcess` the test itself speaks with pcscd, and not only programs that it starts. One such pcscd
    /// at a time may be: libpcsclite looks for its daemon once in a process, so that each of this one's has to be in
    /// the same place.
    init(isForThisProcess: Bool = true) throws {
        let mark = isForThisProcess ? "\(getpid())" : "\(getpid())-\(UUID().uuidString.filter(\.isLetter).prefix(8))"
        directory = NSTemporaryDirectory() + "/cardpresent-reader-\(mark)"
        let output = try Self.run("start", directory, [String(getpid())])
        var variables: [String: String] = [:]
        for line in output.split(separator: "\n") {
            let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        address = try #require(variables["CARDPRESENT_VPCD"])
        let socket = try #require(variables["PCSCLITE_CSOCK_NAME"])
        environment = ["PCSCLITE_CSOCK_NAME": socket]
        if isForThisProcess { setenv("PCSCLITE_CSOCK_NAME", socket, 1) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Kills pcscd, as a crash would.
    func stop() { _ = try? Self.run("stop", directory, []) }

    /// A simulated card in the first slot.
    func card(_ profile: String, _ more: [String] = [], in scratch: Scratch) throws -> Child {
        try Child(["simulate", "card", profile, "--vpcd", address, "--json"] + more, in: scratch)
    }

    private static func run(_ action: String, _ directory: String, _ more: [String]) throws -> String {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
        let result = try Child(
            program: root.appendingPathComponent("Scripts/virtual-reader").path, [action, directory] + more,
            in: try Scratch()
        ).result()
        try #require(result.status == 0, "\(result.error)")
        return result.output
    }
}

/// libpcsclite looks for its daemon once in a process: what meets a pcscd in this one runs one after the other.
@Suite("With a pcscd", .serialized) enum WithPCSCD {}

/// A UNIX socket that a simulated card connects to. Every wait ends after a minute.
final class ReaderSocket {
    private let listener: Int32
    private var connection: Int32 = -1
    private let path: String

    init(path: String) throws {
        self.path = path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafeMutableBytes(of: &address) {
            bind(listener, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard code == 0, listen(listener, 4) == 0 else { throw ChildError(call: "bind", code: errno) }
    }

    deinit {
        hangUp()
        close(listener)
        unlink(path)
    }

    func accept() throws {
        hangUp()
        var incoming = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&incoming, 1, 60_000) == 1 else { throw ChildError(call: "accept", code: ETIMEDOUT) }
        connection = Glibc.accept(listener, nil, nil)
        guard connection >= 0 else { throw ChildError(call: "accept", code: errno) }
    }

    func hangUp() {
        if connection >= 0 { close(connection) }
        connection = -1
    }

    func send(_ bytes: [UInt8]) throws { try SocketBytes.send(bytes, to: connection) }

    /// So many bytes, or fewer when the program has ended the connection.
    func receive(_ count: Int) throws -> [UInt8] { try SocketBytes.receive(count, from: connection) }
}

/// Bytes over a connected socket. Every wait ends after a minute.
enum SocketBytes {
    static func send(_ bytes: [UInt8], to connection: Int32) throws {
        guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw ChildError(call: "send", code: errno)
        }
    }

    /// So many bytes, or fewer when the other side has ended the connection.
    static func receive(_ count: Int, from connection: Int32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var incoming = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&incoming, 1, 60_000) == 1 else { throw ChildError(call: "recv", code: ETIMEDOUT) }
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let taken = recv(connection, &buffer, buffer.count, 0)
            guard taken > 0 else { break }
            bytes += buffer.prefix(taken)
        }
        return bytes
    }
}
