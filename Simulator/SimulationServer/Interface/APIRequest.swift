/// What a client asks, without the connection that it came on.
struct APIRequest: Sendable {
    /// In capitals.
    var method: String
    /// Path and query, as in the request line.
    var target: String
    /// Names in small letters.
    var headers: [String: String]
    var body: [UInt8]

    init(method: String, target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// Without the query.
    var path: String { String(target.prefix { $0 != "?" && $0 != "#" }) }

    /// The parameters of the query. The last one of a name counts.
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

    /// Undoes percent encoding; nil when it is none.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
