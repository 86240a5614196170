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

    /// Copies an address that a system call has written; nil for an unknown family or a length that doesn't fit.
    public init?(_ address: UnsafePointer<sockaddr>, length: Int) {
        let least =
            switch Int32(address.pointee.sa_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            case AF_UNIX: MemoryLayout<sa_family_t>.size
            default: Int.max
            }
        guard (least...MemoryLayout<sockaddr_storage>.size).contains(length) else { return nil }
        self.init(
            family: Int32(address.pointee.sa_family),
            bytes: Array(UnsafeRawBufferPointer(start: address, count: length)))
    }

    /// Returns the addresses of a host in the order to try them; none when the host is unknown. The call blocks and
    /// cannot be canceled: use it on a thread that can wait.
    public static func lookUp(_ host: String, port: UInt16) -> [SocketAddress] {
        (try? addresses(of: host, port: port)) ?? []
    }

    /// Returns the addresses of a host in the order to try them, at least one. The call blocks and cannot be canceled,
    /// unless `isLiteral` is true: then the host is an IP address, and names are unknown.
    ///
    /// - Throws: ``LookUpError``
    public static func addresses(
        of host: String, port: UInt16, isLiteral: Bool = false
    ) throws(LookUpError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = isLiteral ? AI_NUMERICSERV | AI_NUMERICHOST : AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else { throw LookUpError(code: code) }
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
        guard !found.isEmpty else { throw LookUpError(code: EAI_NONAME) }
        return found
    }

    /// An error of getaddrinfo(3).
    public struct LookUpError: Error, Hashable, Sendable, CustomStringConvertible {
        /// One of the `EAI_` constants.
        public let code: Int32

        /// Takes an `EAI_` number of getaddrinfo(3).
        public init(code: Int32) { self.code = code }

        /// Whether the name servers say that the host has no address, or the text is no name.
        public var isUnknownHost: Bool { code == EAI_NONAME }

        /// The system's text: `Temporary failure in name resolution`.
        public var description: String { String(cString: gai_strerror(code)) }
    }

    /// The port of an IP address, otherwise 0.
    public var port: UInt16 {
        // In both families the port is in the third and fourth byte, most significant first.
        family == AF_UNIX || bytes.count < 4 ? 0 : UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// The IP address as text: `192.0.2.7`, `2001:db8::7`. Empty for a path.
    public var host: String {
        let offset = family == AF_INET ? 4 : 8
        guard family != AF_UNIX, bytes.count > offset else { return "" }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = bytes[offset...].withUnsafeBytes {
            inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) != nil
        }
        return isWritten ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
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

extension SocketAddress: CustomStringConvertible {
    /// The address as `192.0.2.7:9100`, `[2001:db8::7]:9100`, or the path.
    public var description: String {
        switch family {
        case AF_INET: "\(host):\(port)"
        case AF_INET6: "[\(host)]:\(port)"
        default: String(decoding: bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
