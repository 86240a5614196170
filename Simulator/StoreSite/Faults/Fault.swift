import Text

/// A fault that applies to a request.
public enum Fault: Hashable, Sendable {
    /// Delays the response, in milliseconds.
    case latency(Int)
    /// Refuses the request without executing it: 401, 403, 429, 500, 503. `retryAfter` is in seconds.
    case refusal(status: Int, retryAfter: Int?)
    /// Closes the connection without executing the request.
    case cut
    /// Executes the request and never sends the response.
    case lostAnswer
    /// Executes the request and responds with status 500.
    case failedAnswer
    /// Executes the request and cuts the response after this number of bytes.
    case truncated(Int)
    /// Executes the request and sends the response in UTF-16 although it declares UTF-8.
    case charset
    /// Sends an HTML page with status 200 without executing the request.
    case html
    /// Sends this number of bytes of an endless list without executing the request.
    case huge(Int)
    /// Redirects the client to another address without executing the request.
    case redirect(String)
    /// Executes the request and sends a response with strings for lists, lists for objects, and words for numbers.
    case wrongTypes
    /// Executes the request and sends the response at this number of bytes per second.
    case slow(Int)
    /// Executes a GET with the state that the store had when the rule was added, as a cache or a replica does.
    case stale
}

extension Fault: CustomStringConvertible {
    /// The fault as a word of a ``FaultRule``.
    public var description: String {
        switch self {
        case .latency(let milliseconds): "latency:\(milliseconds)ms"
        case .refusal(let status, let seconds): "\(status)" + (seconds.map { ":\($0)" } ?? "")
        case .cut: "cut"
        case .lostAnswer: "lost-answer"
        case .failedAnswer: "failed-answer"
        case .truncated(let bytes): "truncate:\(bytes)"
        case .charset: "charset"
        case .html: "html"
        case .huge(let bytes): "huge:\(bytes)"
        case .redirect(let address): "redirect:\(address)"
        case .wrongTypes: "wrong-types"
        case .slow(let bytes): "slow:\(bytes)"
        case .stale: "stale"
        }
    }

    /// Parses ``description``. The part after the colon is optional where there is a default.
    ///
    /// - Throws: ``FaultRuleError``
    init(_ text: Substring) throws(FaultRuleError) {
        let name = text.prefix { $0 != ":" }
        let rest = text.dropFirst(name.count + 1)
        let argument = text.count > name.count ? rest : nil
        func number(_ standard: Int, _ range: ClosedRange<Int>) throws(FaultRuleError) -> Int {
            guard let argument else { return standard }
            guard let number = Int(argument), range.contains(number) else {
                throw .invalidArgument(
                    String(text), expected: "a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        func nothing() throws(FaultRuleError) {
            guard argument == nil else { throw .invalidArgument(String(text), expected: "nothing after the colon") }
        }
        switch name {
        case "latency": self = .latency(try Self.milliseconds(argument, in: text))
        case "401", "403", "404", "500", "502":
            try nothing()
            self = .refusal(status: Int(name) ?? 500, retryAfter: nil)
        case "429": self = .refusal(status: 429, retryAfter: try number(1, 0...86_400))
        case "503":
            self = .refusal(status: 503, retryAfter: argument == nil ? nil : try number(1, 0...86_400))
        case "cut":
            try nothing()
            self = .cut
        case "lost-answer":
            try nothing()
            self = .lostAnswer
        case "failed-answer":
            try nothing()
            self = .failedAnswer
        case "truncate": self = .truncated(try number(64, 0...1 << 30))
        case "charset":
            try nothing()
            self = .charset
        case "html":
            try nothing()
            self = .html
        case "huge": self = .huge(try number(64 << 20, 1...1 << 30))
        case "redirect":
            guard let argument, argument.hasPrefix("http://") || argument.hasPrefix("https://"),
                argument.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw .invalidArgument(String(text), expected: "an address such as http://elsewhere.example/") }
            self = .redirect(String(argument))
        case "wrong-types":
            try nothing()
            self = .wrongTypes
        case "stale":
            try nothing()
            self = .stale
        case "slow": self = .slow(try number(1024, 1...1 << 30))
        default: throw .unknownFault(String(text))
        }
    }

    /// Parses a time such as `500ms` or `2s`.
    private static func milliseconds(_ argument: Substring?, in text: Substring) throws(FaultRuleError) -> Int {
        let expected = "a time such as 500ms or 2s, at most an hour"
        guard let argument else { throw .invalidArgument(String(text), expected: expected) }
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), number <= 3_600_000 else {
            throw .invalidArgument(String(text), expected: expected)
        }
        switch argument.dropFirst(digits.count) {
        case "ms": return number
        case "s" where number <= 3600: return number * 1000
        default: throw .invalidArgument(String(text), expected: expected)
        }
    }
}

extension Fault {
    /// Returns the response to send without executing the request; nil if the request is executed.
    func instead(_ dialect: SiteDialect) -> SiteResponse? {
        switch self {
        case .refusal(let status, let seconds):
            var response = Self.refusal(status).response(dialect)
            if let seconds { response.headers.append(("Retry-After", String(seconds))) }
            return response
        case .cut: return SiteResponse(status: 500)
        case .html:
            return .html(
                "<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Briefly unavailable for "
                    + "scheduled maintenance. Check back in a minute.</h1></body></html>")
        case .huge(let bytes):
            var body = [UInt8](repeating: UInt8(ascii: " "), count: bytes)
            body[0] = UInt8(ascii: "[")
            return .json(body)
        case .redirect(let address):
            return SiteResponse(status: 302, headers: [("Location", address), ("Content-Type", "text/html")])
        case .latency, .lostAnswer, .failedAnswer, .truncated, .charset, .wrongTypes, .slow, .stale: return nil
        }
    }

    /// Modifies the response to an executed request.
    func spoil(_ answer: inout SiteAnswer, _ dialect: SiteDialect) {
        switch self {
        case .failedAnswer: answer.response = Self.refusal(500).response(dialect)
        case .latency(let milliseconds): answer.delay = .milliseconds(milliseconds)
        case .lostAnswer: answer.delivery = .cut
        case .truncated(let bytes):
            answer.delivery = .truncated(min(bytes, max(0, answer.response.body.count - 1)))
        case .slow(let bytes): answer.delivery = .slow(bytesPerSecond: bytes)
        case .charset:
            let text = String(decoding: answer.response.body, as: UTF8.self)
            answer.response.body =
                [0xFF, 0xFE]
                + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        case .wrongTypes:
            if let node = JSONReader.node(answer.response.body) { answer.response.body = node.confused.bytes }
        case .refusal, .cut, .html, .huge, .redirect, .stale: break
        }
    }

    private static func refusal(_ status: Int) -> SiteError {
        switch status {
        case 401: SiteError(401, "rest_forbidden", "Sorry, you are not allowed to do that.")
        case 403: SiteError(403, "rest_forbidden", "Sorry, you are not allowed to do that.")
        case 404: SiteError.noRoute
        case 429: SiteError(429, "too_many_requests", "Too many requests. Please slow down.")
        case 502: SiteError(502, "bad_gateway", "Bad gateway")
        case 503: SiteError(503, "service_unavailable", "The service is unavailable for a moment.")
        default:
            SiteError(
                500, "internal_server_error",
                "<p>There has been a critical error on this website.</p><p><a href=\"https://wordpress.org/"
                    + "documentation/article/faq-troubleshooting/\">Learn more.</a></p>")
        }
    }
}

extension JSONValue {
    /// The same value with all types wrong.
    fileprivate var confused: JSONValue {
        switch self {
        case .null: [:]
        case .bool: "perhaps"
        case .number: "many"
        case .text(let text): .list([.text(text)])
        case .list(let elements): .list(elements.map(\.confused))
        case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.confused) })
        }
    }
}
