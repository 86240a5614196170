internal import ArgumentParser
internal import Yosemite

/// `readers forget`
struct ForgetReader: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forgets that a reader was used.",
        discussion: "Nothing else changes: the reader can be used, and is remembered again then.")

    @Argument(help: "The reader's identifier, as 'readers list --remembered' shows it.")
    var reader: String?
    @Flag(help: "Forget every reader.")
    var all = false
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all == (reader == nil) else { throw ValidationError("name a reader, or give --all") }
    }

    func run() throws {
        try output.reporting {
            let readers = try RememberedReaders(data)
            let count = try readers.forget(id: reader)
            guard count > 0 || all else {
                let known = try readers.all().map(\.id)
                throw CommandFailure(
                    .usage, code: "reader_not_remembered", message: "no reader '\(reader ?? "")' is remembered",
                    fix: known.isEmpty ? nil : .choice(of: reader ?? "", among: known, called: "remembered"))
            }
            guard !output.json else { return try StandardOutput.write(json: ForgottenReadersView(forgotten: count)) }
            try StandardOutput.write("\(count) forgotten\n")
        }
    }
}

/// The result of `readers forget`.
struct ForgottenReadersView: Encodable, Sendable {
    var forgotten: Int
}
