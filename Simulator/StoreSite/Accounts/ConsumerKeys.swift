import Cryptography
import Determinism
import Text

/// A key of WooCommerce's REST API: a name that starts with `ck_`, and a secret.
public struct ConsumerKey: Sendable {
    /// The requests that the key allows.
    public enum Permission: String, Hashable, Sendable {
        case read, write
        case readWrite = "read_write"

        func allows(_ method: String) -> Bool {
            switch method {
            case "OPTIONS": true
            case "GET", "HEAD": self != .write
            default: self != .read
            }
        }
    }

    public var key: String
    public var secret: SitePassword
    public var permission: Permission

    /// Takes a key, `ck_` and hexadecimal digits, and what it allows.
    public init(key: String, secret: SitePassword, permission: Permission = .readWrite) {
        (self.key, self.secret, self.permission) = (key, secret, permission)
    }
}

/// The sender of a request, with its permissions.
struct Visitor: Sendable {
    let user: SiteUser
    var permission = ConsumerKey.Permission.readWrite
}

/// The consumer keys of a site. A client shows its key over TLS (Basic, or in the query); without TLS it signs each
/// request with OAuth 1.0a and no token (RFC 5849 §3).
struct ConsumerKeyring: Sendable {
    private var keys: [ConsumerKey]
    /// The signatures of the last minutes: a nonce counts once.
    private var used: [(key: String, nonce: String, seconds: Int64)] = []

    /// How far a client's clock may be from the store's, in seconds.
    private static let window: Int64 = 15 * 60

    init(_ keys: [ConsumerKey]) { self.keys = keys }

    /// Replaces the keys. Nonces that were used stay used.
    mutating func replaceKeys(_ keys: [ConsumerKey]) { self.keys = keys }

    private static func refusal(_ message: String) -> SiteError {
        SiteError(401, "woocommerce_rest_authentication_error", message)
    }

    /// Checks the credentials of a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - parameters: those of its query and its form.
    ///   - address: the address of the request without its query, as the site knows itself.
    ///   - now: the time at the store.
    /// - Returns: what the request may do; nil if it names no consumer key.
    /// - Throws: `woocommerce_rest_authentication_error` for a wrong secret or signature.
    mutating func permission(
        _ request: SiteRequest, _ parameters: SiteParameters, address: String, at now: Timestamp
    ) throws(SiteError) -> ConsumerKey.Permission? {
        if request.isSecure { return try shown(request, parameters) }
        return try signed(request, parameters, address, now)
    }

    func key(_ name: some StringProtocol) -> ConsumerKey? { keys.first { $0.key == name } }

    private func shown(
        _ request: SiteRequest, _ parameters: SiteParameters
    ) throws(SiteError) -> ConsumerKey.Permission? {
        var (name, secret) = (parameters.text("consumer_key") ?? "", parameters.text("consumer_secret") ?? "")
        if name.isEmpty, let header = request.header("authorization") {
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64Text.decoded(parts[1]) else {
                return nil
            }
            let pair = String(decoding: bytes, as: UTF8.self)
            name = String(pair.prefix { $0 != ":" })
            secret = String(pair.dropFirst(name.count + 1))
        }
        guard let key = key(name) else { return nil }
        guard key.secret.matches(secret) else { throw Self.refusal("Consumer secret is invalid.") }
        return key.permission
    }

    // MARK: OAuth 1.0a

    private static let names = [
        "oauth_consumer_key", "oauth_timestamp", "oauth_nonce", "oauth_signature", "oauth_signature_method",
    ]

    private mutating func signed(
        _ request: SiteRequest, _ given: SiteParameters, _ address: String, _ now: Timestamp
    ) throws(SiteError) -> ConsumerKey.Permission? {
        let parameters = given.joined(SiteParameters(fields: Self.fields(request.header("authorization") ?? "")))
        let missing = Self.names.filter { parameters.text($0) == nil }
        guard missing.count < Self.names.count else { return nil }
        guard missing.isEmpty else {
            throw Self.refusal("Missing OAuth parameter(s) \(missing.joined(separator: ", "))")
        }
        func text(_ name: String) -> String { parameters.text(name) ?? "" }
        guard let key = key(text("oauth_consumer_key")) else { throw Self.refusal("Consumer key is invalid.") }
        let hash: HMAC.Hash
        switch text("oauth_signature_method") {
        case "HMAC-SHA1": hash = .sha1
        case "HMAC-SHA256": hash = .sha256
        default: throw Self.refusal("Invalid signature - signature method is invalid.")
        }
        let base = Self.base(request.method, address, parameters.without("oauth_signature"))
        // A plus sign that was not encoded arrives as a blank.
        let signature = String(text("oauth_signature").map { $0 == " " ? "+" : $0 })
        guard key.secret.signature(of: Array(base.utf8), hash: hash, suffix: "&") == signature else {
            throw Self.refusal("Invalid signature - provided signature does not match.")
        }
        let seconds = now.milliseconds / 1000
        let window = (seconds - Self.window)...(seconds + Self.window)
        guard let stamp = Int64(text("oauth_timestamp")), window.contains(stamp) else {
            throw Self.refusal("Invalid timestamp.")
        }
        used.removeAll { !window.contains($0.seconds) }
        let nonce = text("oauth_nonce")
        guard !used.contains(where: { $0.key == key.key && $0.nonce == nonce }) else {
            throw Self.refusal("Invalid nonce - nonce has already been used.")
        }
        used.append((key.key, nonce, stamp))
        return key.permission
    }

    /// Returns the fields of `OAuth realm="a", oauth_nonce="b"` (RFC 5849 §3.5.1).
    private static func fields(_ header: String) -> [(name: String, value: String)] {
        guard header.lowercased().hasPrefix("oauth ") else { return [] }
        return header.dropFirst(6).split(separator: ",").compactMap { field in
            let name = field.prefix { $0 != "=" }
            let value = field.dropFirst(name.count + 1).filter { $0 != "\"" && $0 != " " }
            let word = String(name.filter { $0 != " " })
            guard word.hasPrefix("oauth_") else { return nil }
            return (word, PercentEncoding.decode(value, plusIsSpace: false))
        }
    }

    /// Returns the text that is signed (RFC 5849 §3.4.1), as WooCommerce makes it: of the names in PHP's order.
    static func base(_ method: String, _ address: String, _ parameters: SiteParameters) -> String {
        func encoded(_ text: String) -> String {
            PercentEncoding.encode(PercentEncoding.decode(text, plusIsSpace: false))
        }
        let sorted = parameters.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let fields = sorted.flatMap { member -> [(name: String, value: String)] in
            switch member.value {
            case .list(let elements):
                elements.enumerated().map { ("\(member.name)[\($0.offset)]", $0.element.plainText ?? "") }
            case .object(let members): members.map { ("\(member.name)[\($0.name)]", $0.value.plainText ?? "") }
            default: [(member.name, member.value.plainText ?? "")]
            }
        }
        let query = fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
        return "\(method)&\(PercentEncoding.encode(address))&\(PercentEncoding.encode(query))"
    }
}
