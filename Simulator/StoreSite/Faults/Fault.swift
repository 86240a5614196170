/// What goes wrong with a request.
public enum Fault: Hashable, Sendable {
    /// The answer comes later, in milliseconds.
    case latency(Int)
    /// The site refuses before it does anything: 401, 403, 429, 500, 503. `retryAfter`: in seconds.
    case refusal(status: Int, retryAfter: Int?)
    /// The connection ends before the request does anything.
    case cut
    /// The request is carried out, and the answer never comes.
    case lostAnswer
    /// The request is carried out, and the answer is status 500.
    case failedAnswer
    /// The request is carried out, and the answer ends after so many bytes.
    case truncated(Int)
    /// The request is carried out, and the answer is in UTF-16 although it says UTF-8.
    case charset
    /// A page for people instead of the answer, with status 200. Nothing is done.
    case html
    /// So many bytes of a list without end. Nothing is done.
    case huge(Int)
    /// Sends the client to another address. Nothing is done.
    case redirect(String)
    /// The request is carried out, and the answer has texts for lists, lists for objects and words for numbers.
    case wrongTypes
    /// The request is carried out, and the answer comes at so many bytes a second.
    case slow(Int)
}

extension Fault: CustomStringConvertible {
    /// As ``FaultRule`` reads it.
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
        }
    }

    /// Reads what ``description`` writes; what follows the colon may be left out where there is something usual.
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
        case "slow": self = .slow(try number(1024, 1...1 << 30))
        default: throw .unknownFault(String(text))
        }
    }

    /// `500ms`, `2s`
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
