public import Determinism
import Text

/// A request of a till, as a server received it.
public struct NexoRequest: Hashable, Sendable {
    /// The method in capitals.
    public let method: String
    /// The path without the query, such as `/nexo/`.
    public let path: String
    public let body: [UInt8]

    /// Takes a request line's method and target, and the whole body.
    public init(method: String, target: String, body: [UInt8] = []) {
        (self.method, path, self.body) = (method, String(target.prefix { $0 != "?" }), body)
    }
}

/// The response to a request.
public struct NexoResponse: Hashable, Sendable {
    /// The HTTP status. Messages of the protocol have 200, also those about a failure.
    public let status: Int
    /// The value of the header field `Content-Type`.
    public let contentType: String
    /// JSON in UTF-8, a text, or nothing.
    public let body: [UInt8]

    init(_ json: JSONValue, status: Int = 200) {
        (self.status, contentType, body) = (status, "application/json", Array(json.jsonText.utf8))
    }

    private init(text: String) { (status, contentType, body) = (200, "text/plain", Array(text.utf8)) }

    /// The response to an Abort.
    static let empty = NexoResponse(text: "")
    /// The response to a message whose answer comes to the event address.
    static let taken = NexoResponse(text: "ok")

    /// The response to a message whose work did not end in time, as the cloud has it for a terminal that does not
    /// answer. TransactionStatus tells how the work ends.
    public static func unanswered(_ request: NexoRequest, at now: Timestamp) -> NexoResponse {
        guard let envelope = try? NexoEnvelope(request.body) else {
            return .problem(408, "The terminal does not answer.")
        }
        let header = envelope.header
        let rejection = NexoEnvelope.Rejection(
            message: "Did not receive a response from the POI.", poi: header.poi, saleID: header.id.saleID)
        return NexoResponse(NexoEvents.reject(rejection, request.body, at: now))
    }

    /// The response to what is no call of the protocol.
    static func problem(_ status: Int, _ message: String) -> NexoResponse {
        NexoResponse(["errors": [.text(message)]], status: status)
    }

    /// The response to a message that is not encrypted as it should be. It does not say what is wrong, so that an
    /// attacker learns nothing.
    static func cryptoError(serviceID: String) -> NexoResponse {
        NexoResponse(["errors": ["Nexo Service: crypto error"], "ServiceID": .text(serviceID)], status: 401)
    }
}

/// The answer to a call of ``NexoTerminal/receive(_:call:at:)``, which may come later than the call.
public struct NexoAnswer: Hashable, Sendable {
    /// The number that the owner gave the call.
    public let call: Int
    public let response: NexoResponse
    /// Whether a fault wants the connection closed instead: the work is done, and the till does not hear of it.
    public let isLost: Bool
}

/// What a path stands for.
enum NexoRoute: Hashable {
    /// Where a message comes from, and how it is answered.
    enum Way: Hashable {
        /// The terminal's own address.
        case local
        /// The vendor's cloud: the response is that of HTTP.
        case sync
        /// The vendor's cloud: the response goes to the event address.
        case async
    }

    /// A message; `poi` is the terminal that the path names.
    case message(Way, poi: String?)
    case devices
    case deviceStatus(poi: String)
    /// About the simulation, and not a part of the protocol.
    case control(String)
    /// The path is known, and the method is another one.
    case wrongMethod
    case unknown

    init(_ request: NexoRequest) {
        let parts = request.path.split(separator: "/").map(String.init)
        let route: (method: String, route: NexoRoute)
        switch (parts.count, parts.first, parts.last) {
        case (1, "nexo", _): route = ("POST", .message(.local, poi: nil))
        case (1, "sync", _): route = ("POST", .message(.sync, poi: nil))
        case (1, "async", _): route = ("POST", .message(.async, poi: nil))
        case (2, "_simulator", let name?): route = (request.method, .control(name))
        case (4, "v1", "connectedDevices") where parts[1] == "merchants": route = ("GET", .devices)
        case (6, "v1", let last?) where parts[1] == "merchants" && parts[3] == "devices":
            let poi = PercentEncoding.decode(parts[4], plusIsSpace: false)
            switch last {
            case "sync": route = ("POST", .message(.sync, poi: poi))
            case "async": route = ("POST", .message(.async, poi: poi))
            case "status": route = ("GET", .deviceStatus(poi: poi))
            default: route = (request.method, .unknown)
            }
        default: route = (request.method, .unknown)
        }
        self = route.method == request.method ? route.route : .wrongMethod
    }
}
