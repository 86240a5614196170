/// A request of a till, as a server received it.
public struct StripeRequest: Hashable, Sendable {
    /// A header field; names are compared without case.
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String

        /// Takes a field as it was sent.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The method in capitals.
    public let method: String
    /// The path without the query, such as `/v1/terminal/readers`.
    public let path: String
    /// The query without `?`; empty without one.
    public let query: String
    public let headers: [Header]
    public let body: [UInt8]

    /// Takes a request line's method and target, the header fields, and the whole body.
    public init(method: String, target: String, headers: [Header] = [], body: [UInt8] = []) {
        let path = target.prefix { $0 != "?" }
        (self.method, self.path) = (method, String(path))
        query = String(target.dropFirst(path.count + 1))
        (self.headers, self.body) = (headers, body)
    }

    /// The value of the first header field with a name in lowercase; nil without one.
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}

/// The response to a request.
public struct StripeResponse: Hashable, Sendable {
    /// The HTTP status, such as 200.
    public let status: Int
    public var headers: [StripeRequest.Header]
    /// JSON in UTF-8.
    public let body: [UInt8]

    /// Takes a whole response.
    public init(status: Int, headers: [StripeRequest.Header], body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// The answer to a call of ``StripeTerminal/receive(_:call:at:)``, which may come later than the call.
public struct StripeAnswer: Hashable, Sendable {
    /// The number that the owner gave the call.
    public let call: Int
    public let response: StripeResponse
    /// Whether a fault wants the connection closed instead: the work is done, and the till does not hear of it.
    public let isLost: Bool
}
