import Glibc

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
