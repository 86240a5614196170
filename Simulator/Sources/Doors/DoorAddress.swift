/// Where the other side of a door listens, or a door itself.
public enum DoorAddress: Hashable, Sendable, CustomStringConvertible {
    /// A TCP port, 1...65535, of a host that is named or numbered; to listen, 0 stands for any that is free.
    case tcp(host: String, port: UInt16)
    /// The path of a UNIX socket.
    case unix(path: String)

    /// Reads `HOST:PORT`, `[IPV6]:PORT`, or the path of a UNIX socket, which has a slash in it.
    ///
    /// Nil when the text is none of these.
    ///
    /// - Parameters:
    ///   - text: the address.
    ///   - isOwn: whether it is to be listened at, so that port 0 has a meaning.
    public init?(_ text: String, isOwn: Bool = false) {
        if text.contains("/") {
            self = .unix(path: text)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            port > 0 || isOwn
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
