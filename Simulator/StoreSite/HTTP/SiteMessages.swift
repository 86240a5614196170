import Text

/// An HTTP request to the site.
public struct SiteRequest: Sendable {
    /// In uppercase: `GET`.
    public var method: String
    /// The path and query of the request line, percent-encoded.
    public var target: String
    /// Names in any case, in order of arrival.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Whether the request came from this machine. Only such requests can control the simulation.
    public var isFromLoopback: Bool

    /// Takes a request. `target` is path and query; `isFromLoopback` tells whether this machine sent it.
    public init(
        method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        isFromLoopback: Bool = true
    ) {
        (self.method, self.target, self.headers) = (method, target, headers)
        (self.body, self.isFromLoopback) = (body, isFromLoopback)
    }

    /// Whether the client uses TLS, which ends at a proxy on this machine that says so in `X-Forwarded-Proto`.
    var isSecure: Bool { isFromLoopback && header("x-forwarded-proto")?.lowercased() == "https" }

    func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
    }
}

/// An HTTP response of the site.
public struct SiteResponse: Sendable {
    /// 200...599.
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    /// Takes a response. Header fields are sent in this order.
    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The response as the body of a response with status 200, for clients that can't read headers (`_envelope`).
    var enveloped: SiteResponse {
        let fields = headers.filter { $0.name != "Content-Type" }
        return .json([
            "body": JSONReader.node(body) ?? .null, "status": .integer(status),
            "headers": .object(fields.map { JSONValue.Member(name: $0.name, value: .text($0.value)) }),
        ])
    }

    static let jsonType = "application/json; charset=UTF-8"

    static func json(
        _ bytes: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> SiteResponse {
        SiteResponse(status: status, headers: [("Content-Type", jsonType)] + headers, body: bytes)
    }

    static func json(_ node: JSONValue, status: Int = 200) -> SiteResponse { json(node.bytes, status: status) }

    static func html(_ text: String, status: Int = 200) -> SiteResponse {
        SiteResponse(status: status, headers: [("Content-Type", "text/html; charset=UTF-8")], body: Array(text.utf8))
    }

    static func text(_ text: String, status: Int = 200) -> SiteResponse {
        SiteResponse(status: status, headers: [("Content-Type", "text/html; charset=UTF-8")], body: Array(text.utf8))
    }
}

/// A response and how to deliver it.
public struct SiteAnswer: Sendable {
    public var response: SiteResponse
    /// The delay before the first byte.
    public var delay: Duration
    public var delivery: Delivery
    /// The loggable part of the request, without credentials and parameters.
    public var seen: SeenRequest

    init(_ response: SiteResponse, delay: Duration = .zero, delivery: Delivery = .whole, seen: SeenRequest) {
        (self.response, self.delay, self.delivery, self.seen) = (response, delay, delivery, seen)
    }
}

/// How a response is delivered.
public enum Delivery: Hashable, Sendable {
    case whole
    /// Close the connection before the first byte of the response.
    case cut
    /// Close the connection after this number of body bytes, although more were announced.
    case truncated(Int)
    /// Send the body at this rate.
    case slow(bytesPerSecond: Int)
}

/// A request as recorded: without credentials, parameters, and body.
public struct SeenRequest: Hashable, Sendable {
    /// The number of the request, from 1.
    public var number: Int
    public var method: String
    /// The path of the request line, without the query.
    public var path: String
    /// The REST route if it differs from the path: `/wc/v3/orders/12`.
    public var route: String?
    /// The response status; 0 without a response.
    public var status: Int
    /// The fault that applied.
    public var fault: String?

    package init(
        number: Int, method: String, path: String, route: String? = nil, status: Int, fault: String? = nil
    ) {
        (self.number, self.method, self.path) = (number, method, path)
        (self.route, self.status, self.fault) = (route, status, fault)
    }

    /// The route with `{id}` in the places of numbers; `none` for a path that the site does not have. The names of a
    /// log and of metrics: there are few of them, whatever clients ask for.
    public var routeName: String {
        guard status != 404 else { return "none" }
        let parts = (route ?? path).split(separator: "/").prefix(8).map { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "{id}" : String(part.prefix(40))
        }
        return "/" + parts.joined(separator: "/")
    }

    var node: JSONValue {
        [
            "number": .integer(number), "method": .text(method), "path": .text(path),
            "route": route.map(JSONValue.text) ?? .null, "status": .integer(status),
            "fault": fault.map(JSONValue.text) ?? .null,
        ]
    }
}
