internal import EMV

/// The result of `emv decode`.
struct DecodingView: Encodable, Sendable {
    struct Failure: Encodable, Sendable {
        var code: String
        var message: String
        var fix: String?
        /// The offset in the data of what cannot be read.
        var offset: Int
    }

    /// What the data were read as: a word or a tag, as `--as` takes it.
    var kind: String
    /// Whether nobody said so.
    var guessed: Bool
    /// Bytes
    var length: Int
    var values: [DecodedValue]
    /// null when all was read.
    @Nullable var error: Failure?

    init(_ decoding: Decoding) {
        (kind, guessed) = (decoding.subject.name, decoding.isGuessed)
        (length, values) = (decoding.length, decoding.values)
        error = decoding.problem.map {
            Failure(
                code: "malformed_data", message: $0.description,
                fix: decoding.isGuessed ? "if the data are something else, say what with --as" : nil,
                offset: $0.offset)
        }
    }

    var failure: CommandFailure? {
        error.map { CommandFailure(.badData, code: $0.code, message: $0.message, fix: $0.fix) }
    }
}
