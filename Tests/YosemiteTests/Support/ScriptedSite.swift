import Networking
import Synchronization

/// A store site that a test writes in place: it answers each call as it is told.
final class ScriptedSite: Network {
    /// A call as the site hears it.
    struct Call: Sendable, Hashable {
        var method: HTTPMethod
        /// Without the namespace's slash in front: `wc/v3/orders/5`.
        var route: String
        /// Of the query.
        var parameters: [String: String]
        /// JSON
        var body: String

        var page: Int { parameters["page"].flatMap { Int($0) } ?? 1 }

        /// The last part of the route as a number: `5` of `wc/v3/orders/5`.
        var id: Int64? { route.split(separator: "/").last.flatMap { Int64($0) } }
    }

    typealias Script = @Sendable (Call) async throws(NetworkError) -> HTTPResponse

    private let script: Mutex<Script>
    private let log = Mutex<[Call]>([])

    init(_ script: @escaping Script) { self.script = Mutex(script) }

    /// What was asked, in order.
    var calls: [Call] { log.withLock { $0 } }

    /// From now on the site does this.
    func become(_ script: @escaping Script) {
        log.withLock { $0 = [] }
        self.script.withLock { $0 = script }
    }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard !Task.isCancelled else { throw .cancelled(wasSent: false) }
        var parameters: [String: String] = [:]
        for field in (request.address.query ?? "").split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parameters[Self.decoded(parts[0])] = parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        let route = parameters.removeValue(forKey: "rest_route") ?? request.address.path
        let call = Call(
            method: request.method, route: String(route.drop { $0 == "/" }), parameters: parameters,
            body: String(decoding: request.body ?? [], as: UTF8.self))
        log.withLock { $0.append(call) }
        let answer = script.withLock { $0 }
        return try await answer(call)
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", "application/json; charset=UTF-8")
        return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    /// A list as WordPress gives it, with the totals in its headers.
    static func list(_ elements: [String], total: Int? = nil, pages: Int? = nil, date: String? = nil) -> HTTPResponse {
        var headers: HTTPHeaders = [:]
        if let total { headers.add("X-WP-Total", String(total)) }
        if let pages { headers.add("X-WP-TotalPages", String(pages)) }
        if let date { headers.add("Date", date) }
        return .json("[" + elements.joined(separator: ",") + "]", headers: headers)
    }

    static func refusal(_ code: String, status: Int) -> HTTPResponse {
        .json(#"{"code":"\#(code)","message":"No.","data":{"status":\#(status)}}"#, status: status)
    }
}

extension NetworkError {
    /// The request left, and the answer never came.
    static let lost = NetworkError.connectionLost(host: "shop.example", reason: "cut")
    /// The request did not leave.
    static let unreachable = NetworkError.cannotConnect(host: "shop.example", reason: "no route")
}
