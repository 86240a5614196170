public import Text

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
    /// The object.
    public let json: JSONValue

    /// Takes a whole response.
    public init(status: Int, headers: [StripeRequest.Header], json: JSONValue) {
        (self.status, self.headers, self.json) = (status, headers, json)
    }

    /// The object as JSON in UTF-8.
    public var body: [UInt8] { Array(json.jsonText.utf8) }

    /// The response to a call that was not answered in time. What it asked for goes on: its key, or the object, tells
    /// how it ended.
    ///
    /// - Parameter request: the call.
    /// - Returns: `terminal_reader_timeout` (HTTP status 400) for a call to a reader, otherwise `lock_timeout` (429).
    public static func unanswered(_ request: StripeRequest) -> StripeResponse {
        let error =
            request.path.contains("/terminal/readers/")
            ? StripeError(
                code: "terminal_reader_timeout",
                "The reader did not end its work in time. Retrieve the reader to see how its action ends.")
            : StripeError(
                status: 429, code: "lock_timeout",
                "Another request holds what this one needs. Repeat it with the same Idempotency-Key.")
        return StripeResponse(
            status: error.status, headers: [.init("Content-Type", "application/json")], json: error.json(intent: nil))
    }

    /// A request that was not carried out because of the terminal (HTTP status 500).
    ///
    /// - Parameter message: why, for people.
    /// - Returns: the response.
    public static func unavailable(_ message: String) -> StripeResponse {
        let error = StripeError(status: 500, type: "api_error", code: nil, message, isStored: false)
        return StripeResponse(
            status: error.status, headers: [.init("Content-Type", "application/json")], json: error.json(intent: nil))
    }
}

/// The answer to a call of ``StripeTerminal/receive(_:call:at:)``, which may come later than the call.
public struct StripeAnswer: Hashable, Sendable {
    /// The number that the owner gave the call.
    public let call: Int
    public let response: StripeResponse
    /// Whether a fault wants the connection closed instead: the work is done, and the till does not hear of it.
    public let isLost: Bool

    /// Takes the response to a call.
    public init(call: Int, response: StripeResponse, isLost: Bool) {
        (self.call, self.response, self.isLost) = (call, response, isLost)
    }
}
