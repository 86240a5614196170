import Files
import Foundation
import Glibc
import Testing

@Suite("An address of a socket")
struct SocketAddressTests {
    /// What the system's calls are given.
    private func handedOver(_ address: SocketAddress) -> (family: Int32, bytes: [UInt8]) {
        address.withPointer { pointer, length in
            (Int32(pointer.pointee.sa_family), Array(UnsafeRawBufferPointer(start: pointer, count: Int(length))))
        }
    }

    @Test func `a number is the address itself, with the port in network order`() throws {
        let address = try #require(SocketAddress.lookUp("192.0.2.7", port: 9100).first)
        #expect(address.family == AF_INET)
        let (family, bytes) = handedOver(address)
        #expect(family == AF_INET)
        #expect(bytes.count == MemoryLayout<sockaddr_in>.size)
        // After the family stand port and address (sys_socket.h, netinet_in.h).
        #expect(Array(bytes[2..<8]) == [0x23, 0x8C, 192, 0, 2, 7])
    }

    @Test func `an address of IPv6 has room`() throws {
        let address = try #require(SocketAddress.lookUp("2001:db8::7", port: 631).first)
        #expect(address.family == AF_INET6)
        let (family, bytes) = handedOver(address)
        #expect(family == AF_INET6)
        #expect(bytes.count == MemoryLayout<sockaddr_in6>.size)
        #expect(Array(bytes[2..<4]) == [0x02, 0x77])
        #expect(Array(bytes[8..<24]) == [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [7])
    }

    @Test(arguments: [("192.0.2.7", "192.0.2.7:9100"), ("2001:DB8::7", "[2001:db8::7]:9100")])
    func `an address of a system call shows host and port`(_ host: String, _ text: String) throws {
        let address = try #require(SocketAddress.addresses(of: host, port: 9100, isLiteral: true).first)
        let copy = address.withPointer { SocketAddress($0, length: Int($1)) }
        #expect(copy == address)
        #expect(copy?.description == text)
        #expect(copy?.port == 9100)
        #expect(address.withPointer { pointer, _ in SocketAddress(pointer, length: 3) } == nil)
        #expect(SocketAddress(path: "/run/door")?.description == "/run/door")
    }

    @Test func `a name is no literal`() {
        #expect(throws: SocketAddress.LookUpError.self) {
            try SocketAddress.addresses(of: "localhost", port: 1, isLiteral: true)
        }
    }

    /// Longer than any name (RFC 1035 §2.3.4), so that there is no query.
    @Test func `an invalid host has no address`() {
        #expect(SocketAddress.lookUp(String(repeating: "a", count: 300), port: 1).isEmpty)
    }

    @Test func `a listening socket is reached by number and by path`() throws {
        let folder = NSTemporaryDirectory() + "sockets-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try #require(SocketAddress(path: folder + "/door"))
        #expect(path.family == AF_UNIX)
        let number = try #require(SocketAddress.lookUp("127.0.0.1", port: 0).first)
        for address in [path, number] {
            let listener = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(listener) }
            try #require(address.withPointer { bind(listener, $0, $1) } == 0)
            try #require(listen(listener, 1) == 0)
            var bound = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let name = withUnsafeMutablePointer(to: &bound) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
            }
            try #require(name == 0)
            let target =
                address.family == AF_UNIX
                ? address
                : try #require(SocketAddress.lookUp("127.0.0.1", port: UInt16(bigEndian: bound.sin_port)).first)
            let caller = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(caller) }
            #expect(target.withPointer { connect(caller, $0, $1) } == 0)
        }
    }

    @Test func `a path that is too long is rejected, and the longest possible one works`() throws {
        let room = MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
        #expect(SocketAddress(path: String(repeating: "a", count: room)) == nil)
        let longest = try #require(SocketAddress(path: String(repeating: "a", count: room - 1)))
        let bytes = handedOver(longest).bytes
        #expect(bytes.count == MemoryLayout<sockaddr_un>.size)
        #expect(Array(bytes.dropFirst(2)) == Array(repeating: 0x61, count: room - 1) + [0])
        // A letter of more than one byte counts as what it takes.
        #expect(SocketAddress(path: String(repeating: "é", count: room / 2)) == nil)
    }
}
