internal import FoundationEssentials

/// What a client gets.
struct APIAnswer: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        /// Server-sent events, until the stream ends.
        case events(AsyncStream<[UInt8]>)
    }

    var status: Int
    var mediaType: String
    var headers: [(name: String, value: String)] = []
    var content: Content

    init(_ status: Int, _ mediaType: String, _ content: Content) {
        (self.status, self.mediaType, self.content) = (status, mediaType, content)
    }

    static func json(_ value: some Encodable & Sendable, status: Int = 200) -> APIAnswer {
        APIAnswer(status, "application/json", .bytes(encoded(value)))
    }

    static func text(_ text: String, _ mediaType: String = "text/plain; charset=utf-8") -> APIAnswer {
        APIAnswer(200, mediaType, .bytes(Array(text.utf8)))
    }

    static let nothing = APIAnswer(204, "", .bytes([]))

    static func failure(_ error: APIError) -> APIAnswer {
        var answer = json(ErrorView(error: error), status: error.status)
        if error.status == 401 { answer.headers.append(("WWW-Authenticate", "Bearer")) }
        return answer
    }

    /// Keys in order, so that the same value is the same text.
    static func encoded(_ value: some Encodable, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // What is encoded here has no numbers that JSON lacks, the only thing that the encoder refuses.
        guard let data = try? encoder.encode(value) else { return Array("{}".utf8) }
        return Array(data)
    }

    func with(_ name: String, _ value: String) -> APIAnswer {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}
