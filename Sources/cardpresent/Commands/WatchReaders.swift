internal import ArgumentParser
internal import Determinism
internal import Hardware

/// `readers watch`
struct WatchReaders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Tells of readers that come and go, until it is interrupted.",
        discussion: """
            With --json every line is a JSON object. With --connect a reader is kept open, and what becomes of the \
            connection is told, too: when it is lost and why, and how it is got back (idle, reconnecting, succeeded, \
            failed). The command ends with exit code 5 when that fails.
            """)

    @Flag(help: "Connect a reader, as soon as there is one, and get it back when it is lost.")
    var connect = false
    @Option(
        help: ArgumentHelp(
            "The reader to connect, as 'readers list' shows it. Default: the one that was used last, or the first one.",
            valueName: "reader"))
    var reader: String?
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard connect || reader == nil else { throw ValidationError("--reader goes with --connect") }
    }

    func run() async throws {
        try await output.reporting {
            let settings = try configuration.load()
            let source: any CardReaderSource =
                bus.pcsc
                ? PCSCReaderSource()
                : try bus.source(settings)
            let changes = source.changes()
            let cancellation = Cancellation()
            try await CancellationSignals.watching(endsWithOutput: true) {
                let watching = Task { try await watch(changes, of: source) }
                defer { watching.cancel() }
                guard connect else {
                    await cancellation.onRequest { watching.cancel() }
                    return try await watching.value
                }
                try await keep(source, settings, cancellation)
            } onSignal: {
                await cancellation.request()
            }
        }
    }

    private func keep(
        _ source: any CardReaderSource, _ settings: TillConfiguration, _ cancellation: Cancellation
    ) async throws {
        let remembered = RememberedReaders.known(data)
        let keeper = ReaderKeeper(source, reconnection: settings.reconnection) { change throws(CommandFailure) in
            try tell(change)
        }
        let keeping = Task {
            try await keeper.run { found in
                guard let reader else { return found.preferred(remembered) }
                return found.first { $0.id == reader }
            } onConnected: { reader throws(CommandFailure) in
                if !bus.simulated { try RememberedReaders(data).remember(id: reader.id, name: reader.name) }
            }
        }
        await cancellation.onRequest {
            await keeper.cancelReconnection()
            keeping.cancel()
        }
        try await keeping.value
    }

    private func watch(
        _ changes: any AsyncSequence<CardReaderChange, Never> & Sendable, of source: any CardReaderSource
    ) async throws {
        for reader in try await ReaderCatalogue.readers(of: source) { try tell(.present(reader)) }
        for await change in changes {
            switch change {
            case .arrived(let reader): try tell(.arrived(reader))
            case .left(let reader): try tell(.left(reader))
            }
        }
    }

    private func tell(_ change: ReaderChange) throws(CommandFailure) {
        guard !output.json else { return try StandardOutput.write(line: change) }
        try StandardOutput.write(change.change.padded(to: connect ? 14 : 8) + change.text + "\n")
    }
}
