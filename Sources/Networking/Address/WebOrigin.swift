/// A server: scheme, host and port (RFC 6454 §4).
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    public enum Scheme: String, Hashable, Sendable {
        case http
        case https

        /// The port of an address without one.
        var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    public let scheme: Scheme
    /// In lower case; an IPv6 address stands in brackets.
    public let host: String
    public let port: UInt16

    /// `authority`: what stands between `//` and the path.
    /// `text`: the whole address, for the error.
    init(scheme: Scheme, authority: Substring, in text: String) throws(WebAddressError) {
        guard !authority.contains("@") else { throw .carriesCredentials }
        self.scheme = scheme
        let isBracketed = authority.hasPrefix("[")
        let hostEnd =
            isBracketed
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) } ?? authority.endIndex
            : authority.firstIndex(of: ":") ?? authority.endIndex
        host = authority[..<hostEnd].lowercased()
        guard Self.isHost(host, isBracketed: isBracketed) else { throw .badHost(text) }
        let portText = authority[hostEnd...]
        guard !portText.isEmpty else {
            port = scheme.defaultPort
            return
        }
        let digits = portText.dropFirst()
        guard portText.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else { throw .badPort(text) }
        self.port = port
    }

    /// Whether what is sent stays on this machine.
    public var isLoopback: Bool { host == "localhost" || host == "[::1]" || host.hasPrefix("127.") }

    public var description: String {
        port == scheme.defaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
    }

    private static func isHost(_ host: String, isBracketed: Bool) -> Bool {
        guard isBracketed else {
            return !host.isEmpty && host.utf8.count <= 253
                && host.utf8.allSatisfy {
                    (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-._".utf8.contains($0)
                }
        }
        let inside = host.dropFirst().dropLast()
        return host.hasSuffix("]") && !inside.isEmpty
            && inside.utf8.allSatisfy {
                (0x61...0x66).contains($0) || (0x30...0x39).contains($0) || ":.".utf8.contains($0)
            }
    }
}

extension WebAddress {
    /// `https://public-api.wordpress.com/`
    public static let wordPressDotcom = WebAddress(
        origin: WebOrigin(scheme: .https, host: "public-api.wordpress.com", port: 443), path: "/", query: nil)
}

extension WebOrigin {
    fileprivate init(scheme: Scheme, host: String, port: UInt16) {
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }
}
