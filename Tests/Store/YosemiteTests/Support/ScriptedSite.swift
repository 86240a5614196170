import Networking
import Synchronization

/// A scripted store site.
final class ScriptedSite: Network {
    /// A call as received by the site.
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
        guard !Task.isCancelled else { throw .canceled(wasSent: false) }
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

/// A network that does something when it is asked, and answers with what that returns.
struct HookedNetwork: Network {
    private let answer: @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse) {
        self.answer = answer
    }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { try await answer(request) }
}

extension HTTPResponse {
    static func json(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }
}

/// Orders and notes as a site writes them.
enum OrderJSON {
    /// `modified`: nil writes null.
    /// `more`: members that replace or follow the others, by name, as JSON.
    static func order(
        _ id: Int64, status: String = "pending", total: String = "\"10.00\"",
        modified: String? = "2026-02-01T10:00:00", more: [String: String] = [:]
    ) -> String {
        var members = [
            "id": "\(id)", "number": "\"\(id)\"", "status": "\"\(status)\"", "currency": "\"USD\"",
            "customer_id": "0", "order_key": "\"wc_order_\(id)\"", "customer_note": "\"\"",
            "date_created_gmt": "\"2026-02-01T09:00:00\"",
            "date_modified_gmt": modified.map { "\"\($0)\"" } ?? "null", "date_paid_gmt": "null",
            "date_completed_gmt": "null", "discount_total": "\"0.00\"", "discount_tax": "\"0.00\"",
            "shipping_total": "\"0.00\"", "shipping_tax": "\"0.00\"", "total": total, "total_tax": "\"0.00\"",
            "payment_method": "\"\"", "payment_method_title": "\"\"", "line_items": "[]", "shipping_lines": "[]",
            "coupon_lines": "[]", "refunds": "[]", "fee_lines": "[]", "tax_lines": "[]", "meta_data": "[]",
        ]
        members.merge(more) { $1 }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// A line of goods.
    static func item(_ id: Int64, product: Int64, quantity: Int = 1, more: String = "") -> String {
        """
        {"id":\(id),"name":"Tea","product_id":\(product),"variation_id":0,"quantity":\(quantity),"price":5,\
        "subtotal":"5.00","subtotal_tax":"0.00","total":"5.00","total_tax":"0.00","tax_class":"","taxes":[],\
        "meta_data":[]\(more)}
        """
    }

    static func fee(_ id: Int64, _ name: String, total: String) -> String {
        """
        {"id":\(id),"name":"\(name)","tax_class":"","tax_status":"none","total":"\(total)","total_tax":"0.00","taxes":[]}
        """
    }

    static func note(
        _ id: Int64, _ text: String, customer: Bool = false, at: String = "2026-03-01T12:00:00"
    ) -> String {
        """
        {"id":\(id),"note":"\(text)","customer_note":\(customer),"author":"anna","date_created_gmt":"\(at)"}
        """
    }
}
