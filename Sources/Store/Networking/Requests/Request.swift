public import Text

/// A request to a store, independent of its route.
public protocol Request: Sendable {
    /// Returns the HTTP request without credentials.
    ///
    /// - Throws: ``NetworkError/invalidAddress(_:)``
    func httpRequest() throws(NetworkError) -> HTTPRequest

    /// The interface that responds. It determines the format of errors and the envelope.
    var dialect: Dialect { get }

    /// Returns the same request to the site itself; nil when the site has no such interface.
    func direct(site: WebAddress) -> RESTRequest?
}

extension Request {
    public func direct(site: WebAddress) -> RESTRequest? { nil }
}

/// The interfaces, each with its own error format.
public enum Dialect: Hashable, Sendable {
    /// `rest/v1.x` of WordPress.com: errors are `{"error": …, "message": …}`, often with status 200.
    case dotcom
    /// A site behind WordPress.com's tunnel: errors as above or as the site's, responses in `{"data": …}`.
    case tunnel
    /// `wp/v2` and `wpcom/v2`, and a site itself: errors are `{"code": …, "message": …, "data": {"status": …}}`.
    case wordPress
}

/// The options of a request.
public struct RequestOptions: Hashable, Sendable {
    /// The timeout, including retries.
    public var timeout: Duration
    /// The maximum size of the response, in bytes after decompression.
    public var sizeLimit: Int
    /// Sent as `Idempotency-Key`. A server that supports it processes requests with the same key once. The tunnel does
    /// not forward it.
    public var idempotencyKey: String?

    /// Sets the options. A request with an `idempotencyKey` can be repeated, whatever its method.
    public init(
        timeout: Duration = HTTPRequest.defaultTimeout, sizeLimit: Int = HTTPRequest.defaultSizeLimit,
        idempotencyKey: String? = nil
    ) {
        (self.timeout, self.sizeLimit, self.idempotencyKey) = (timeout, sizeLimit, idempotencyKey)
    }

    func httpRequest(
        _ method: HTTPMethod, _ address: WebAddress, body: [UInt8]? = nil, contentType: String? = nil
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if let contentType, body != nil { headers.add("Content-Type", contentType) }
        if let idempotencyKey { headers.add("Idempotency-Key", idempotencyKey) }
        return HTTPRequest(
            method: method, address: address, headers: headers, body: body, timeout: timeout, sizeLimit: sizeLimit,
            isRepeatable: method == .get || idempotencyKey != nil)
    }
}

/// The parameters of a request, in order: text in a query or a form, JSON values in a JSON body.
public struct Parameters: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public private(set) var members: [JSONValue.Member]

    /// Takes the parameters in the order in which they are sent.
    public init(_ members: [JSONValue.Member] = []) { self.members = members }

    /// Takes the parameters in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { JSONValue.Member($0.0, $0.1) }
    }

    public var isEmpty: Bool { members.isEmpty }

    /// Adds a parameter behind the others.
    public mutating func add(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name, value)) }

    /// Adds the value unless it is nil.
    public mutating func add(_ name: String, ifPresent value: (some StringProtocol)?) {
        if let value { add(name, .text(String(value))) }
    }

    /// Adds the value unless it is nil.
    public mutating func add(_ name: String, ifPresent value: (some BinaryInteger)?) {
        if let value { add(name, JSONValue(value)) }
    }

    /// The parameters as a JSON object.
    public var jsonText: String { JSONValue.object(members).jsonText }

    /// The parameters as fields of a query or a form. A list becomes one field per element; object members get
    /// brackets.
    public var fields: [(name: String, value: String)] { members.flatMap { Self.fields($0.name, $0.value) } }

    private static func fields(_ name: String, _ value: JSONValue) -> [(name: String, value: String)] {
        switch value {
        case .null: [(name, "")]
        case .bool(let flag): [(name, flag ? "true" : "false")]
        case .number(let text), .text(let text): [(name, text)]
        case .list(let values): values.flatMap { fields("\(name)[]", $0) }
        case .object(let members): members.flatMap { fields("\(name)[\($0.name)]", $0.value) }
        }
    }
}

/// The route of a site that corresponds to a WordPress.com route.
public struct SiteRoute: Hashable, Sendable {
    /// For example `wp/v2`.
    public let namespace: String
    /// The path below the namespace.
    public let path: String
    public let parameters: Parameters

    /// Names a route below the site's REST interface.
    public init(namespace: String, path: String, parameters: Parameters) {
        (self.namespace, self.path, self.parameters) = (namespace, path, parameters)
    }
}

/// Selects the route of a request: with the credentials of a site, requests go directly instead of through the tunnel.
public struct RequestConverter: Sendable {
    private let site: WebAddress?

    /// - Parameter site: the site that receives requests directly; nil leaves requests unchanged.
    public init(site: WebAddress?) { self.site = site }

    /// Converts requests for the site that accepts these credentials directly; none for an account, and for nil.
    public init(credentials: Credentials?) { site = credentials?.directSite }

    /// Returns the request to the site itself when the site accepts the credentials directly; otherwise the same
    /// request.
    public func convert(_ request: any Request) -> any Request {
        guard let site, let direct = request.direct(site: site) else { return request }
        return direct
    }
}

/// A request without credentials.
public struct UnauthenticatedRequest: Request {
    private let request: any Request

    /// Wraps a request, which is sent as it is.
    public init(_ request: any Request) { self.request = request }

    public var dialect: Dialect { request.dialect }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        var request = try request.httpRequest()
        (request.authorization, request.cookie) = (nil, nil)
        return request
    }
}

/// A request to WordPress.com or through its tunnel, with the token of an account.
public struct AuthenticatedDotcomRequest: Request {
    private let request: any Request
    private let token: Secret

    /// Wraps a request, to which it adds the token.
    public init(_ request: any Request, token: Secret) { (self.request, self.token) = (request, token) }

    public var dialect: Dialect { request.dialect }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        var request = try request.httpRequest()
        request.authorization = Secret("Bearer \(token.revealed())")
        return request
    }
}

/// A request to a site with an application password.
public struct AuthenticatedRESTRequest: Request {
    private let request: RESTRequest
    private let password: ApplicationPassword

    /// Wraps a request, to which it adds user name and password.
    public init(_ request: RESTRequest, password: ApplicationPassword) {
        (self.request, self.password) = (request, password)
    }

    public var dialect: Dialect { request.dialect }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        var request = try request.httpRequest()
        request.authorization = password.authorization
        return request
    }
}
