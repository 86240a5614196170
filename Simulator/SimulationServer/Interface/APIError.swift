/// Why a request has no result: every answer that is no success has this shape, under the key `error`.
struct APIError: Error, Hashable, Sendable {
    /// The HTTP status.
    var status: Int
    /// A word for programs, which stays the same.
    var code: String
    /// A sentence for people, without a full stop.
    var message: String
    /// Where in the request's body the mistake is: `cards[1].name`.
    var path: String?
    /// What to do instead.
    var fix: String?

    init(_ status: Int, _ code: String, _ message: String, path: String? = nil, fix: String? = nil) {
        (self.status, self.code, self.message, self.path, self.fix) = (status, code, message, path, fix)
    }

    /// A mistake in the body.
    static func body(_ message: String, at path: String, fix: String? = nil) -> APIError {
        APIError(422, "invalid_body", message, path: path, fix: fix)
    }
}

extension APIError: Encodable {
    private enum CodingKeys: CodingKey { case code, message, path, fix }
}

/// An error as it is sent.
struct ErrorView: Encodable, Sendable {
    var error: APIError

    static let schema = Schema.object([
        Field(
            "error",
            .object([
                Field("code", .text, "A word for programs."), Field("message", .text, "A sentence for people."),
                Field("path", .text, "Where in the body the mistake is.", optional: true),
                Field("fix", .text, "What to do instead.", optional: true),
            ]))
    ])
}
