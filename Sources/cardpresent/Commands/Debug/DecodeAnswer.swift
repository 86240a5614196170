internal import ArgumentParser
internal import Networking

/// `debug decode`
struct DecodeAnswer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Reads an answer of a store that was kept in a file, and shows what is in it.",
        discussion: """
            The answer may stand in the envelope of WordPress.com's tunnel or not. Where it cannot be read, the error says \
            what is wrong in which place, and the exit code is 65. Elements of a list that cannot be read are told of on \
            stderr; the others are shown.

            EXAMPLES:
              cardpresent debug decode --entity orders orders.json
              curl … | cardpresent debug decode --entity order -
              cardpresent debug decode --list
            """)

    @Option(
        help: ArgumentHelp("What the answer is; --list shows the names.", valueName: "entity"),
        completion: .list(AnswerEntity.all.map(\.name)))
    var entity: String?
    @Flag(help: "List what answers can be read as.")
    var list = false
    @Argument(
        help: ArgumentHelp("The file, or '-' for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard list == (entity == nil && file == nil) else {
            throw ValidationError("give --entity ENTITY and a file, or --list alone")
        }
        guard list || (entity != nil && file != nil) else { throw ValidationError("give --entity ENTITY and a file") }
    }

    func run() throws {
        try output.reporting {
            guard let entity, let file else { return try showNames() }
            guard let kind = AnswerEntity.named(entity) else {
                throw CommandFailure(
                    .usage, code: "unknown_entity", message: "there is no entity '\(entity)'",
                    fix: .choice(of: entity, among: AnswerEntity.all.map(\.name), called: "the names are"))
            }
            let bytes = try InputFile.read(file, atMost: HTTPRequest.defaultSizeLimit)
            let answer: AnswerEntity.Value
            do throws(NetworkError) { answer = try kind.decode(bytes) } catch {
                throw CommandFailure(answer: error)
            }
            try show(answer)
        }
    }

    private func showNames() throws(CommandFailure) {
        let names = AnswerEntity.all.map(\.name).sorted()
        guard !output.json else { return try StandardOutput.write(json: names) }
        try StandardOutput.write(names.map { $0 + "\n" }.joined())
    }

    private func show(_ answer: AnswerEntity.Value) throws(CommandFailure) {
        let value: JSONValue
        do { value = try answer.json() } catch {
            throw CommandFailure(.internalError, code: "internal", message: "the value is no JSON: \(error)")
        }
        guard !output.json else {
            let rejected = answer.rejected.map { failure -> JSONValue in
                ["path": .text(failure.path), "message": .text(failure.description)]
            }
            let result: JSONValue = ["value": value, "rejected": .list(rejected)]
            return try StandardOutput.write(result.indentedJSONText + "\n")
        }
        for failure in answer.rejected { StandardError.write("cardpresent: left out: \(failure)\n") }
        try StandardOutput.write(value.indentedJSONText + "\n")
    }
}

extension CommandFailure {
    /// An answer that says that something went wrong is bad data here, whatever it was.
    fileprivate init(answer error: NetworkError) {
        self.init(error)
        (status, fix) = (.badData, nil)
    }
}
