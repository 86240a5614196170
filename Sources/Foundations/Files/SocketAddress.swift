public import Glibc

/// A socket address for system calls.
public struct SocketAddress: Hashable, Sendable {
    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    public let family: Int32
    /// A `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    private let bytes: [UInt8]

    private init(family: Int32, bytes: [UInt8]) { (self.family, self.bytes) = (family, bytes) }

    /// Makes the address of a Unix domain socket; nil when the path is too long.
    public init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8) + [0]
        guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        self.init(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { Array($0) })
    }

    /// Returns the addresses of a host in the order to try them; none when the host is unknown. The call blocks and cannot
    /// be canceled: use it on a thread that can wait.
    public static func lookUp(_ host: String, port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            if let address = entry.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                found.append(SocketAddress(family: entry.ai_family, bytes: Array(bytes)))
            }
            next = entry.ai_next
        }
        return found
    }

    /// Passes the address to a system call.
    public func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A copy with the alignment and size for every address family.
        var storage = sockaddr_storage()
        let count = withUnsafeMutableBytes(of: &storage) { room in
            room.copyBytes(from: bytes.prefix(room.count))
            return min(bytes.count, room.count)
        }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(count)) }
        }
    }
}
