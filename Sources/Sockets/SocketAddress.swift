public import Glibc

/// An address as the system's calls take it.
public struct SocketAddress: Hashable, Sendable {
    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    public let family: Int32
    /// A `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    private let bytes: [UInt8]

    private init(family: Int32, bytes: [UInt8]) { (self.family, self.bytes) = (family, bytes) }

    /// A socket in the file system; nil when the path is longer than the system takes.
    public init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8) + [0]
        guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        self.init(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { Array($0) })
    }

    /// Everything that a host's name or number may mean, in the order in which it is to be tried; nothing when there is
    /// no such host. It asks the system, which blocks and cannot be ended: call it where a thread may wait.
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

    /// Lends it to a call of the system.
    public func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A copy that is aligned for every family, and has room for each.
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
