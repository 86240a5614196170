internal import ArgumentParser
internal import Hardware
internal import Yosemite

/// `readers remember`
struct RememberReader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remember", abstract: "Makes a reader the one that is used when several are plugged in.",
        discussion: """
            A payment does the same with the reader that it uses. 'cardpresent readers list' marks the readers that are \
            remembered, and 'cardpresent readers list --remembered' shows those that are not plugged in, too.
            """)

    @Argument(
        help: "The reader's identifier, as 'readers list' shows it. It is plugged in, or was remembered before.")
    var reader: String
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let readers = try RememberedReaders(data)
            let (id, name) = try await find(among: try readers.all())
            try readers.remember(id: id, name: name)
            guard let record = try readers.all().first(where: { $0.id == id }) else {
                throw CommandFailure(
                    .usage, code: "reader_not_remembered", message: "the identifier of this reader is too long to keep")
            }
            let view = RememberedReaderView(record)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.line)
        }
    }

    private func find(among remembered: [RememberedCardReader]) async throws -> (id: String, name: String) {
        if let known = remembered.first(where: { $0.id == reader }) { return (known.id, known.name) }
        guard !bus.pcsc else {
            let found = try PCSCReaderCatalogue.find(reader, among: try await PCSCReaderCatalogue.readers())
            return (found.id, found.name)
        }
        let settings = try configuration.load()
        let found = try await ReaderCatalogue.find(reader, on: try bus.open(), settings).reader
        return (found.id, found.name)
    }
}
