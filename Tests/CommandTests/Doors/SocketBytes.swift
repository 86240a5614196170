import Glibc

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
