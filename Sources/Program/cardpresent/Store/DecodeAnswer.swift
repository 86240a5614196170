import ArgumentParser
import Networking
import Text

/// `debug`
struct DebugCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug", abstract: "Debug store responses.",
        subcommands: [DecodeAnswer.self])
}

/// `debug decode`
struct DecodeAnswer: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode a saved store response.",
        discussion: """
            EXAMPLES:
              cardpresent debug decode --entity orders orders.json
              curl … | cardpresent debug decode --entity order -
              cardpresent debug decode --list

            Accepts responses with or without the envelope of the WordPress.com tunnel. If the response cannot be \
            decoded, the error names the location and problem, and the exit code is 65. List elements that cannot be \
            decoded are reported on stderr, and the others are shown.
            """)

    @Option(
        help: ArgumentHelp("Type of the response; see --list.", valueName: "entity"),
        completion: .list(ResponseEntity.all.map(\.name)))
    var entity: String?
    @Flag(help: "List the response types.")
    var list = false
    @Argument(
        help: ArgumentHelp("File to decode; '-' is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard list == (entity == nil && file == nil) else {
            throw ValidationError("give either --entity ENTITY and a file, or --list")
        }
        guard list || (entity != nil && file != nil) else { throw ValidationError("give --entity ENTITY and a file") }
    }

    func execute() throws {
        guard let entity, let file else { return try showNames() }
        guard let kind = ResponseEntity.named(entity) else {
            throw CommandFailure(
                .usage, code: "unknown_entity", message: "unknown entity '\(entity)'",
                fix: .choice(of: entity, among: ResponseEntity.all.map(\.name), called: "available"))
        }
        let bytes = try InputFile.read(file, atMost: HTTPRequest.defaultSizeLimit)
        let answer: ResponseEntity.Value
        do throws(NetworkError) { answer = try kind.decode(bytes) } catch {
            throw CommandFailure(answer: error)
        }
        try show(answer)
    }

    private func showNames() throws(CommandFailure) {
        let names = ResponseEntity.all.map(\.name).sorted()
        try output.write(names, text: names.map { $0 + "\n" }.joined())
    }

    private func show(_ answer: ResponseEntity.Value) throws(CommandFailure) {
        let value: JSONValue
        do { value = try answer.json() } catch {
            throw CommandFailure(.internalError, code: "internal", message: "cannot encode the value as JSON: \(error)")
        }
        guard !output.json else {
            let rejected = answer.rejected.map { failure -> JSONValue in
                ["path": .text(failure.path), "message": .text(failure.description)]
            }
            let result: JSONValue = ["value": value, "rejected": .list(rejected)]
            return try StandardOutput.write(result.indentedJSONText + "\n")
        }
        for failure in answer.rejected { StandardError.write("cardpresent: skipped: \(failure)\n") }
        try StandardOutput.write(value.indentedJSONText + "\n")
    }
}

extension CommandFailure {
    /// Creates a failure for a response that holds an error: here it is always bad data.
    fileprivate init(answer error: NetworkError) {
        self.init(error)
        (status, fix) = (.badData, nil)
    }
}
