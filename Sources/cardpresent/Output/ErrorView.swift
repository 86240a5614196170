/// An error as JSON.
struct ErrorView: Encodable, Sendable {
    var code: String
    var message: String
    var fix: String?

    init(_ failure: CommandFailure) {
        (code, message, fix) = (failure.code, failure.message, failure.fix)
    }
}
