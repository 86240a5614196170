import Glibc
import Testing

/// A client of `simulate usb` that speaks USB/IP byte by byte.
final class USBIPSocket {
    private let connection: Int32
    private var sequence: UInt8 = 0

    /// Connects to the UNIX socket at which the program listens.
    init(path: String) throws {
        connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A full queue of connections lets connect(2) wait, too (unix(7)).
        var longest = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &longest, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // The socket's file exists a moment before the server listens.
        for attempt in 1... {
            let code = withUnsafeMutableBytes(of: &address) {
                connect(connection, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
            if code == 0 { return }
            guard errno == ECONNREFUSED, attempt < 500 else { throw ChildError(call: "connect", code: errno) }
            usleep(10_000)
        }
    }

    deinit { close(connection) }

    func receive(_ count: Int) throws -> [UInt8] { try SocketBytes.receive(count, from: connection) }

    /// Asks for the first device on the bus.
    ///
    /// - Returns: the status, and the device's record when that is 0.
    func importDevice() throws -> (status: UInt8?, record: [UInt8]) {
        let busID = Array("1-1".utf8) + [UInt8](repeating: 0, count: 29)
        try SocketBytes.send([0x01, 0x11, 0x80, 0x03, 0, 0, 0, 0] + busID, to: connection)
        let status = try receive(8).last
        return (status, status == 0 ? try receive(312) : [])
    }

    /// Sends a CCID message, and gives the answer to it.
    func exchange(_ message: [UInt8]) throws -> [UInt8] {
        try submit(endpoint: 2, isInput: false, length: message.count, data: message)
        _ = try receive(48)
        while true {
            try submit(endpoint: 2, isInput: true, length: 512)
            let head = try receive(48)
            try #require(head.count == 48)
            let answer = try receive(Int(head[26]) << 8 | Int(head[27]))
            // A sign of life comes before the answer.
            guard answer.count > 7, answer[7] & 0xC0 == 0x80 else { return answer }
        }
    }

    private func submit(endpoint: UInt8, isInput: Bool, length: Int, data: [UInt8] = []) throws {
        sequence += 1
        var bytes = [UInt8](repeating: 0, count: 48)
        (bytes[3], bytes[7], bytes[15], bytes[19]) = (1, sequence, isInput ? 1 : 0, endpoint)
        // The first device of the first bus.
        (bytes[9], bytes[11]) = (1, 1)
        (bytes[26], bytes[27]) = (UInt8(length >> 8), UInt8(length & 0xFF))
        try SocketBytes.send(bytes + data, to: connection)
    }
}
