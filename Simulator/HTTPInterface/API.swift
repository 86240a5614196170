import CardSecrets
import FoundationEssentials
package import Text

/// A request of a client, without its connection.
package struct APIRequest: Sendable {
    /// The HTTP method, in capital letters.
    package var method: String
    /// The path and the query, as in the request line.
    package var target: String
    /// The header fields, with names in lowercase.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(method: String, target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// The path without the query.
    package var path: String { String(target.prefix { $0 != "?" && $0 != "#" }) }

    /// The query parameters. The last value of a name applies.
    package var query: [String: String] {
        var found: [String: String] = [:]
        for pair in queryPairs {
            guard let (name, value) = Self.parameter(pair) else { continue }
            found[name] = value
        }
        return found
    }

    /// Checks that the query has no parameters but these, each once: one that is mistyped would not count.
    ///
    /// - Throws: ``APIError``
    package func checkQuery(_ known: [APIParameter]) throws(APIError) {
        let names = known.map(\.name)
        var found: Set<String> = []
        for pair in queryPairs {
            guard let (name, _) = Self.parameter(pair) else {
                throw APIError(
                    400, "invalid_parameter", "'\(BodyNode.clip(String(pair)))' in the query is not NAME=VALUE",
                    fix: "encode values in UTF-8 and percent encoding")
            }
            guard names.contains(name) else {
                throw APIError(
                    400, "invalid_parameter", "there is no parameter '\(BodyNode.clip(name))' here",
                    fix: BodyNode.suggestion(name, names))
            }
            guard found.insert(name).inserted else {
                throw APIError(400, "invalid_parameter", "the query has '\(name)' twice")
            }
        }
    }

    /// The parameters of the query as they are written.
    private var queryPairs: [Substring] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return target[target.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&")
    }

    private static func parameter(_ pair: Substring) -> (name: String, value: String)? {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.flatMap(Self.decoded), parts.count == 2, let value = Self.decoded(parts[1])
        else { return nil }
        return (name, value)
    }

    /// Checks that no page of another site sent the request.
    ///
    /// - Throws: ``APIError``
    package func checkOrigin() throws(APIError) {
        guard let origin = headers["origin"] else { return }
        let host = headers["host"] ?? ""
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw APIError(403, "foreign_origin", "pages of other sites can't use this server")
        }
    }

    /// The bearer token (RFC 6750); nil without one.
    package var bearerToken: String? {
        let header = headers["authorization"] ?? ""
        return header.prefix(7).lowercased() == "bearer " ? String(header.dropFirst(7)) : nil
    }

    /// Decodes percent encoding; nil when malformed.
    package static func decoded(_ text: some StringProtocol) -> String? {
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
package struct APIAnswer: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A stream of server-sent events.
        case events(AsyncStream<[UInt8]>)
    }

    package var status: Int
    package var mediaType: String
    package var headers: [(name: String, value: String)] = []
    package var content: Content

    package init(_ status: Int, _ mediaType: String, _ content: Content) {
        (self.status, self.mediaType, self.content) = (status, mediaType, content)
    }

    package static func json(_ value: JSONValue, status: Int = 200) -> APIAnswer {
        APIAnswer(status, "application/json", .bytes(encoded(value)))
    }

    package static func json<Value>(_ value: Value, as view: View<Value>, status: Int = 200) -> APIAnswer {
        json(view.json(value), status: status)
    }

    package static func list<Value>(_ values: [Value], as view: View<Value>) -> APIAnswer {
        json(.list(values.map(view.json)))
    }

    package static func text(_ text: String, _ mediaType: String = "text/plain; charset=utf-8") -> APIAnswer {
        APIAnswer(200, mediaType, .bytes(Array(text.utf8)))
    }

    package static let nothing = APIAnswer(204, "", .bytes([]))

    package static func failure(_ error: APIError) -> APIAnswer {
        var answer = json(error, as: APIError.view, status: error.status)
        if error.status == 401 { answer.headers.append(("WWW-Authenticate", "Bearer")) }
        if let seconds = error.retryAfter { answer.headers.append(("Retry-After", "\(seconds)")) }
        if !error.allowed.isEmpty { answer.headers.append(("Allow", error.allowed.joined(separator: ", "))) }
        return answer
    }

    /// Encodes a value as JSON with sorted keys, so that equal values have equal texts.
    package static func encoded(_ value: JSONValue, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // The encoder rejects only numbers that JSON lacks, and the values here have none.
        guard let data = try? encoder.encode(EncodedJSON(value: value)) else { return Array("{}".utf8) }
        return Array(data)
    }

    package func with(_ name: String, _ value: String) -> APIAnswer {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}

/// An error response. Every failure has this shape, under the key `error`.
package struct APIError: Error, Hashable, Sendable {
    /// The HTTP status code.
    package var status: Int
    /// A stable word for programs.
    package var code: String
    /// A sentence for people, without a period.
    package var message: String
    /// The location of the error in the request's body, such as `cards[1].name`.
    package var path: String?
    /// The fix of the problem.
    package var fix: String?
    /// The methods of the path, when the method was wrong (RFC 9110 §15.5.6).
    package var allowed: [String] = []
    /// The seconds after which the same request may succeed (RFC 9110 §10.2.3); nil when time does not help.
    package var retryAfter: Int?

    /// Digits of the texts that may be a card number are masked: a client can send one in any place.
    package init(_ status: Int, _ code: String, _ message: String, path: String? = nil, fix: String? = nil) {
        (self.status, self.code, self.message) = (status, code, CardNumberMask.masked(message))
        (self.path, self.fix) = (path.map(CardNumberMask.masked), fix.map(CardNumberMask.masked))
    }

    /// The response: the error under the key `error`.
    package static let view = View<APIError>(.key("error", problem.schema) { problem.json($0) })

    private static let problem = View<APIError>(
        .key("code", .text, "The error code.") { $0.code }, .key("message", .text, "The error message.") { $0.message },
        .key("path", .text, "The location of the error in the body.") { $0.path },
        .key("fix", .text, "How to fix the problem.") { $0.fix })

    /// Creates an error in the body.
    package static func body(_ message: String, at path: String, fix: String? = nil) -> APIError {
        APIError(422, "invalid_body", message, path: path, fix: fix)
    }
}
