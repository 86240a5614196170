/// An HTTP request.
public struct HTTPRequest: Hashable, Sendable {
    public var method: HTTPMethod
    public var address: WebAddress
    /// The header fields, without secrets.
    public var headers: HTTPHeaders
    /// The value of the `Authorization` header.
    public var authorization: Secret?
    /// The value of the `Cookie` header.
    public var cookie: Secret?
    /// The body. It can contain secrets and is never printed.
    public var body: [UInt8]?
    /// The timeout for the whole exchange.
    public var timeout: Duration
    /// The maximum size of the response, in bytes after decompression.
    public var sizeLimit: Int
    /// Whether the request can be sent twice without a second effect.
    public var isRepeatable: Bool
    /// The field of the query or the body that names the route at the site, with its value as people write it:
    /// `rest_route=/wc/v3/orders/12`. It has no parameters, which can be search terms.
    public var routeField: String?

    /// `isRepeatable`: nil means only a GET is.
    public init(
        method: HTTPMethod = .get, address: WebAddress, headers: HTTPHeaders = [:], authorization: Secret? = nil,
        cookie: Secret? = nil, body: [UInt8]? = nil, timeout: Duration = HTTPRequest.defaultTimeout,
        sizeLimit: Int = HTTPRequest.defaultSizeLimit, isRepeatable: Bool? = nil
    ) {
        (self.method, self.address, self.headers) = (method, address, headers)
        (self.authorization, self.cookie, self.body) = (authorization, cookie, body)
        (self.timeout, self.sizeLimit) = (timeout, sizeLimit)
        self.isRepeatable = isRepeatable ?? (method == .get)
    }

    /// 30 seconds, enough for a report on a slow shared host.
    public static let defaultTimeout: Duration = .seconds(30)
    /// 32 MiB. A page of 100 large orders has less than 1 MiB.
    public static let defaultSizeLimit = 32 << 20

    /// Whether it contains credentials, which must not reach another server.
    public var isAuthenticated: Bool { authorization != nil || cookie != nil }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the address with only the part of its query that names the route.
    public var description: String {
        "\(method.rawValue) \(address.withoutQuery)" + (routeField.map { "?" + $0 } ?? "")
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["method": method.rawValue, "address": address.withoutQuery])
    }
}

/// An HTTP response with any status.
public struct HTTPResponse: Hashable, Sendable {
    /// 100...599.
    public var status: Int
    public var headers: HTTPHeaders
    /// The decompressed body. It can contain secrets and is never printed.
    public var body: [UInt8]

    /// Takes a response as it was received, the body after decompression.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Whether the status is 2xx (RFC 9110 §15.3).
    public var isSuccess: Bool { (200...299).contains(status) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(status), \(body.count) bytes" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["status": status, "bytes": body.count]) }
}

/// The HTTP methods of the store's interfaces (RFC 9110 §9).
public enum HTTPMethod: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

/// Header fields in order. Names are case-insensitive (RFC 9110 §5).
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A name with its value.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        /// Takes name and value as they are sent; neither is checked.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    public private(set) var fields: [Field] = []

    /// Creates headers without fields.
    public init() {}

    /// Takes the fields in the order of the literal. A name may be there twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of the field.
    public subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// Returns all values of the field.
    public func values(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a field behind the others, also when there is one of that name.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && first.lowercased() == second.lowercased()
    }
}

/// A password, a token, or a header value that contains one. Printing it shows only dots; call ``revealed()`` for the
/// text.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Hides a text that must not be printed.
    public init(_ text: String) { self.text = text }

    /// Returns the secret itself, for sending or storing it.
    public func revealed() -> String { text }

    public var isEmpty: Bool { text.isEmpty }

    public var description: String { "••••" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Decodable {
    /// Reads a string of a response.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }
}
