import Text

/// An `http` or `https` address (RFC 3986).
///
/// It is pure ASCII and contains no user name or password, so it can be logged.
public struct WebAddress: Hashable, Sendable {
    /// Scheme, host and port (RFC 6454 §4). Credentials of one origin are never sent to another.
    public let origin: WebOrigin
    /// The path, percent-encoded; begins with `/`.
    public let path: String
    /// The query, percent-encoded; nil without one.
    public let query: String?

    /// Parses an absolute address. Drops the fragment, which is never sent.
    ///
    /// - Throws: ``WebAddressError``
    public init(_ text: String) throws(WebAddressError) {
        guard let separator = text.firstRange(of: "://") else { throw .notAbsolute(text) }
        guard let scheme = WebOrigin.Scheme(rawValue: text[..<separator.lowerBound].lowercased()) else {
            throw .unsupportedScheme(text)
        }
        let rest = text[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        origin = try WebOrigin(scheme: scheme, authority: authority, in: text)
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        self.path = try Self.encoded(path.isEmpty ? "/" : path, in: text)
        query = path.count == target.count ? nil : try Self.encoded(target.dropFirst(path.count + 1), in: text)
    }

    /// `path`: begins with `/`, percent-encoded.
    /// `query`: percent-encoded.
    init(origin: WebOrigin, path: String, query: String?) {
        (self.origin, self.path, self.query) = (origin, path, query)
    }

    /// Resolves a `Location` header (RFC 9110 §10.2.2).
    ///
    /// - Throws: ``WebAddressError``
    public func resolving(_ location: String) throws(WebAddressError) -> WebAddress {
        if location.contains("://") { return try WebAddress(location) }
        if location.hasPrefix("//") { return try WebAddress(origin.scheme.rawValue + ":" + location) }
        if location.hasPrefix("/") { return try WebAddress(origin.description + location) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return try WebAddress(origin.description + folder + location)
    }

    /// Returns the address below this one, with a new query.
    ///
    /// `path`: path components, not encoded.
    /// `query`: percent-encoded.
    public func appending(path: String, query: String? = nil) -> WebAddress {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(PercentEncoding.encode)
        let base = self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path
        let end = path.hasSuffix("/") && !parts.isEmpty ? "/" : ""
        return WebAddress(
            origin: origin, path: base + "/" + parts.joined(separator: "/") + end, query: query)
    }

    /// The address of the WordPress site that this is an address of: without the page of the administration, of the
    /// sign-in, or of the interface for programs.
    ///
    /// `https://shop.example/en/wp-admin/index.php` belongs to `https://shop.example/en/`.
    public var siteRoot: WebAddress {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let page = parts.firstIndex { part in
            Self.folders.contains(String(part)) || part.hasPrefix("wp-") && part.hasSuffix(".php")
        }
        guard let page else { return self }
        return WebAddress(origin: origin, path: parts[..<page].joined(separator: "/") + "/", query: nil)
    }

    private static let folders: Set = ["wp-admin", "wp-json", "index.php", "xmlrpc.php"]

    /// Returns the same path and query below another address.
    func moved(to base: WebAddress) -> WebAddress {
        let folder = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        return WebAddress(origin: base.origin, path: folder + path, query: query)
    }

    /// The address without its query, which can contain search terms.
    public var withoutQuery: String { origin.description + path }

    /// The whole address.
    public var text: String { query.map { "\(withoutQuery)?\($0)" } ?? withoutQuery }

    /// Encodes non-ASCII characters and rejects characters that are not allowed in an address.
    private static func encoded(_ part: Substring, in text: String) throws(WebAddressError) -> String {
        var result = ""
        for byte in part.utf8 {
            switch byte {
            case 0x80...: result += PercentEncoding.escape(byte)
            case 0x21...0x7E where !forbidden.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
            default: throw .forbiddenCharacter(text)
            }
        }
        return result
    }

    private static let forbidden = Set("\"<>\\^`{|}".utf8)
}

extension WebAddress: CustomStringConvertible {
    /// The address without its query.
    public var description: String { withoutQuery }
}

/// An origin: scheme, host and port (RFC 6454 §4).
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme of an address.
    public enum Scheme: String, Hashable, Sendable {
        case http
        case https

        /// The port of an address that names none.
        var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    public let scheme: Scheme
    /// Lowercase; an IPv6 address is in brackets.
    public let host: String
    public let port: UInt16

    /// `authority`: the part between `//` and the path.
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

    /// Whether the host is this machine.
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

/// A text that is not a valid address.
public enum WebAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin with `scheme://`.
    case notAbsolute(String)
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// It contains a user name or a password. The address is not included here, because it contains a secret.
    case carriesCredentials
    case badHost(String)
    case badPort(String)
    /// A space, a control character, the grave accent, or one of `"<>\^{|}`.
    case forbiddenCharacter(String)

    public var description: String {
        switch self {
        case .notAbsolute(let text):
            "'\(Printable.text(text))' is not an address: include the scheme, as in https://shop.example"
        case .unsupportedScheme(let text): "'\(Printable.text(text))' is neither an http nor an https address"
        case .carriesCredentials: "the address contains a user name or a password: pass them separately"
        case .badHost(let text):
            "'\(Printable.text(text))' has no valid host: write international names in their xn-- form"
        case .badPort(let text): "'\(Printable.text(text))' has no valid port: use a number from 1 to 65535"
        case .forbiddenCharacter(let text):
            "'\(Printable.text(text))' contains a character that is not allowed in an address"
        }
    }
}

/// Makes text from outside printable: on one line, without control characters, and of limited length.
public enum Printable {
    /// `limit`: the maximum length, in characters.
    public static func text(_ text: some StringProtocol, limit: Int = 300) -> String {
        let shown = text.prefix(limit).unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: " "
            default: Character(scalar)
            }
        }
        return String(shown) + (text.count > limit ? "…" : "")
    }
}
