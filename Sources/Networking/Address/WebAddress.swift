/// The address of something on the web: `http` or `https`, a host, and what to ask it for (RFC 3986).
///
/// It is made of ASCII alone and carries no user and no password, so it can be logged as it is.
public struct WebAddress: Hashable, Sendable {
    /// Where the address is: nothing that belongs to one origin is ever sent to another one (RFC 6454 §4).
    public let origin: WebOrigin
    /// Begins with `/`, percent-encoded.
    public let path: String
    /// What follows the question mark, percent-encoded, or nil without one.
    public let query: String?

    /// Reads an absolute address. A fragment is dropped, since it is never sent.
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

    /// The address that a `Location` header names (RFC 9110 §10.2.2).
    ///
    /// - Throws: ``WebAddressError``
    public func resolving(_ location: String) throws(WebAddressError) -> WebAddress {
        if location.contains("://") { return try WebAddress(location) }
        if location.hasPrefix("//") { return try WebAddress(origin.scheme.rawValue + ":" + location) }
        if location.hasPrefix("/") { return try WebAddress(origin.description + location) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return try WebAddress(origin.description + folder + location)
    }

    /// The address below this one. The query is replaced.
    ///
    /// `path`: parts that are joined with one slash each; it is encoded here.
    /// `query`: percent-encoded.
    public func appending(path: String, query: String? = nil) -> WebAddress {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(PercentEncoding.encode)
        let base = self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path
        let end = path.hasSuffix("/") && !parts.isEmpty ? "/" : ""
        return WebAddress(
            origin: origin, path: base + "/" + parts.joined(separator: "/") + end, query: query)
    }

    /// The same place below another address.
    func moved(to base: WebAddress) -> WebAddress {
        let folder = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        return WebAddress(origin: base.origin, path: folder + path, query: query)
    }

    /// The address without what is asked: it may hold what somebody searched for.
    public var withoutQuery: String { origin.description + path }

    /// The whole address.
    public var text: String { query.map { "\(withoutQuery)?\($0)" } ?? withoutQuery }

    /// Encodes what is not ASCII, and refuses what may not stand in an address.
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
    /// Without the query.
    public var description: String { withoutQuery }
}
