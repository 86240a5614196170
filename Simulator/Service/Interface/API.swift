import CardSecrets
import FoundationEssentials
import Sessions
import Text
import Yosemite

/// A request of a client, without its connection.
struct APIRequest: Sendable {
    /// The HTTP method, in capital letters.
    var method: String
    /// The path and the query, as in the request line.
    var target: String
    /// The header fields, with names in lowercase.
    var headers: [String: String]
    var body: [UInt8]

    init(method: String, target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// The path without the query.
    var path: String { String(target.prefix { $0 != "?" && $0 != "#" }) }

    /// The query parameters. The last value of a name applies.
    var query: [String: String] {
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        var found: [String: String] = [:]
        for pair in target[target.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap(Self.decoded), parts.count == 2, let value = Self.decoded(parts[1])
            else { continue }
            found[name] = value
        }
        return found
    }

    /// Decodes percent encoding; nil when malformed.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(UInt8.init(hexadecimalDigit:)),
                let low = rest.popFirst().flatMap(UInt8.init(hexadecimalDigit:))
            else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A response to a client.
struct APIAnswer: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        /// A stream of server-sent events.
        case events(AsyncStream<[UInt8]>)
    }

    var status: Int
    var mediaType: String
    var headers: [(name: String, value: String)] = []
    var content: Content

    init(_ status: Int, _ mediaType: String, _ content: Content) {
        (self.status, self.mediaType, self.content) = (status, mediaType, content)
    }

    static func json(_ value: JSONValue, status: Int = 200) -> APIAnswer {
        APIAnswer(status, "application/json", .bytes(encoded(value)))
    }

    static func json<Value>(_ value: Value, as view: View<Value>, status: Int = 200) -> APIAnswer {
        json(view.json(value), status: status)
    }

    static func list<Value>(_ values: [Value], as view: View<Value>) -> APIAnswer {
        json(.list(values.map(view.json)))
    }

    static func text(_ text: String, _ mediaType: String = "text/plain; charset=utf-8") -> APIAnswer {
        APIAnswer(200, mediaType, .bytes(Array(text.utf8)))
    }

    static let nothing = APIAnswer(204, "", .bytes([]))

    static func failure(_ error: APIError) -> APIAnswer {
        var answer = json(error, as: Views.error, status: error.status)
        if error.status == 401 { answer.headers.append(("WWW-Authenticate", "Bearer")) }
        if let seconds = error.retryAfter { answer.headers.append(("Retry-After", "\(seconds)")) }
        if !error.allowed.isEmpty { answer.headers.append(("Allow", error.allowed.joined(separator: ", "))) }
        return answer
    }

    /// Encodes a value as JSON with sorted keys, so that equal values have equal texts.
    static func encoded(_ value: JSONValue, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // The encoder rejects only numbers that JSON lacks, and the values here have none.
        guard let data = try? encoder.encode(EncodedJSON(value: value)) else { return Array("{}".utf8) }
        return Array(data)
    }

    func with(_ name: String, _ value: String) -> APIAnswer {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}

/// An error response. Every failure has this shape, under the key `error`.
struct APIError: Error, Hashable, Sendable {
    /// The HTTP status code.
    var status: Int
    /// A stable word for programs.
    var code: String
    /// A sentence for people, without a period.
    var message: String
    /// The location of the error in the request's body, such as `cards[1].name`.
    var path: String?
    /// The fix of the problem.
    var fix: String?
    /// The methods of the path, when the method was wrong (RFC 9110 §15.5.6).
    var allowed: [String] = []
    /// The seconds after which the same request may succeed (RFC 9110 §10.2.3); nil when time does not help.
    var retryAfter: Int?

    /// Digits of the texts that may be a card number are masked: a client can send one in any place.
    init(_ status: Int, _ code: String, _ message: String, path: String? = nil, fix: String? = nil) {
        (self.status, self.code, self.message) = (status, code, CardNumberMask.masked(message))
        (self.path, self.fix) = (path.map(CardNumberMask.masked), fix.map(CardNumberMask.masked))
    }

    /// Creates an error in the body.
    static func body(_ message: String, at path: String, fix: String? = nil) -> APIError {
        APIError(422, "invalid_body", message, path: path, fix: fix)
    }
}

extension APIError {
    /// Creates the response for an error of a session.
    init(_ error: SimulatedSessionError) {
        let text = error.description
        switch error {
        case .plan: self.init(422, "invalid_plan", text)
        case .noSuchReader(let name, let known):
            self.init(404, "unknown_reader", text, fix: BodyNode.suggestion(name, known))
        case .noSuchCard(let name, let known):
            self.init(404, "unknown_card", text, fix: BodyNode.suggestion(name, known))
        case .readerNotFound: self.init(409, "reader_not_found", text, fix: "plug the reader in")
        case .processDied: self.init(409, "process_died", text, fix: "restart the process")
        case .storage: self.init(503, "storage", text)
        case .payments(let error): self.init(error, text)
        case .receipt(.noReceipt), .receipt(.noRefund): self.init(404, "no_receipt", text)
        case .receipt(.printer), .receipt(.notPrinted): self.init(503, "printer", text)
        case .receipt(.printUncertain): self.init(503, "printer_uncertain", text)
        case .receipt: self.init(409, "receipt", text)
        case .refused: self.init(409, "refused", text, fix: "restart the process")
        case .fault: self.init(500, "internal", text)
        case .over: self.init(404, "unknown_session", text)
        case .stuck: self.init(500, "stuck", text, fix: "reset the session")
        }
    }

    private init(_ error: CardPresentPaymentsError, _ text: String) {
        switch error {
        case .noStoreSite: self.init(409, "no_store", text, fix: "create the session with a store")
        case .site: self.init(502, "store", text)
        case .order: self.init(409, "order_not_payable", text)
        case .gateway: self.init(409, "gateway", text)
        case .refund: self.init(409, "refund_lines", text)
        case .readerConfiguration: self.init(409, "reader_location", text)
        case .reader: self.init(409, "reader", text)
        case .journal, .unrecorded: self.init(409, "journal", text)
        case .busy: self.init(409, "busy", text)
        case .restored: self.init(409, "database_restored", text)
        case .cardData: self.init(409, "card_data_closed", text)
        }
    }
}

/// Decodes any JSON value. Sorts the members of objects by name and writes numbers as plain decimals.
struct DecodedJSON: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let text = try? container.decode(String.self) {
            value = .text(text)
        } else if let number = try? container.decode(Decimal.self) {
            value = .number(number.description)
        } else if let number = try? container.decode(Double.self) {
            // A number that Decimal can't hold is no valid value here, but it is JSON.
            value = .number("\(number)")
        } else if let elements = try? container.decode([DecodedJSON].self) {
            value = .list(elements.map(\.value))
        } else {
            value = .members(try container.decode([String: DecodedJSON].self).mapValues(\.value))
        }
    }
}

/// Encodes any JSON value with an encoder of Foundation.
struct EncodedJSON: Encodable, Sendable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .number(let text): try container.encode(Decimal(string: text) ?? 0)
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values.map(EncodedJSON.init))
        case .object(let members):
            try container.encode(
                Dictionary(members.map { ($0.name, EncodedJSON(value: $0.value)) }) { first, _ in first })
        }
    }
}

extension JSONValue {
    /// Creates an object with its members sorted by name.
    static func members(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    /// The kind of the value, for an error message.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
