/// One request as it goes over the wire.
public struct HTTPRequest: Hashable, Sendable {
    public var method: HTTPMethod
    public var address: WebAddress
    /// Without anything secret.
    public var headers: HTTPHeaders
    /// The value of the `Authorization` header.
    public var authorization: Secret?
    /// The value of the `Cookie` header.
    public var cookie: Secret?
    /// Bytes that may hold secrets: they are never printed.
    public var body: [UInt8]?
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// The most bytes that the answer may have, unpacked.
    public var sizeLimit: Int
    /// Whether it may reach the server twice without doing anything twice.
    public var isRepeatable: Bool

    /// `isRepeatable`: nil says that a GET is, and nothing else.
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

    /// Half a minute: what a slow shared host takes for a report.
    public static let defaultTimeout: Duration = .seconds(30)
    /// 32 MiB: a page of 100 orders with long lists of items has less than one.
    public static let defaultSizeLimit = 32 << 20

    /// Whether it carries something that must not reach another server.
    public var isAuthenticated: Bool { authorization != nil || cookie != nil }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the address without its query.
    public var description: String { "\(method.rawValue) \(address.withoutQuery)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["method": method.rawValue, "address": address.withoutQuery])
    }
}
