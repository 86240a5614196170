internal import ArgumentParser
internal import Hardware

/// `readers update`
struct UpdateReader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Installs newer firmware on a reader.",
        discussion: """
            What there is for which reader is said by readers.firmware of the configuration. Ctrl-C cancels until the reader \
            gets the first byte; from then on it would be left without firmware, and the update goes on to its end. A reader \
            that was unplugged in the middle is brought to its end by the same command.
            """)

    @Argument(help: "The reader's identifier, as 'readers list' shows it. Default: the first with newer firmware.")
    var reader: String?
    @Flag(help: "Only say what there is.")
    var check = false
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !bus.pcsc else { throw ValidationError("pcscd carries no firmware: leave --pcsc out") }
    }

    func run() async throws {
        try await output.reporting {
            let source = try bus.source(try configuration.load())
            let (reader, update) = try await choose(from: source)
            guard let update, !check else {
                return try tell(ReaderUpdateView(reader, update, outcome: update == nil ? "none" : "available"))
            }
            let updated = try await install(update, on: reader, from: source)
            try tell(ReaderUpdateView(updated, update, outcome: "updated"))
        }
    }

    /// The reader that is meant, and what there is for it.
    private func choose(
        from source: any FirmwareSource
    ) async throws(CommandFailure) -> (CardReader, ReaderFirmwareUpdate?) {
        let readers = try await ReaderCatalogue.readers(of: source)
        if let id = reader {
            guard let found = readers.first(where: { $0.id == id }) else { throw .noReader(id, among: readers) }
            return (found, await source.update(for: found))
        }
        for reader in readers {
            if let update = await source.update(for: reader) { return (reader, update) }
        }
        guard let first = readers.first else { throw .noReader(nil, among: []) }
        return (first, nil)
    }

    private func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, from source: any FirmwareSource
    ) async throws -> CardReader {
        let run = ReaderUpdateRun(update, of: reader, from: source)
        let progress = UpdateProgress(isShown: StandardError.isTerminal && !output.json)
        do throws(UnderlyingError) {
            try ReaderFirmwareUpdate.check(batteryLevel: try await run.batteryLevel())
        } catch {
            throw CommandFailure(CardReaderServiceError.softwareUpdate(error))
        }
        StandardError.write(
            "cardpresent: \(reader.name) gets firmware \(update.version), which takes \(update.estimate.text)\n")
        let result: Result<CardReader, UnderlyingError> = await CancellationSignals.watching {
            do throws(UnderlyingError) {
                return .success(try await run.perform { progress.show($0) })
            } catch {
                return .failure(error)
            }
        } onSignal: {
            if !run.cancel() {
                StandardError.write("cardpresent: the reader would be left without firmware: the update goes on\n")
            }
        }
        do throws(UnderlyingError) { return try result.get() } catch {
            throw CommandFailure(CardReaderServiceError.softwareUpdate(error))
        }
    }

    private func tell(_ view: ReaderUpdateView) throws {
        guard !output.json else { return try StandardOutput.write(json: view) }
        try StandardOutput.write(view.text)
    }
}

extension CommandFailure {
    fileprivate static func noReader(_ id: String?, among readers: [CardReader]) -> CommandFailure {
        CommandFailure(
            .reader, code: "reader_not_found",
            message: id.map { "there is no reader '\($0)'" } ?? "no card reader found",
            fix: readers.isEmpty
                ? "plug a CCID reader in, or give --simulated"
                : .choice(of: id ?? "", among: readers.map(\.id), called: "readers"))
    }
}
