internal import ArgumentParser
internal import CCID
internal import Determinism
internal import Hardware
internal import Simulator
internal import USB

/// `readers`
struct ReadersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "Shows card readers, and updates their firmware.",
        subcommands: [
            ListReaders.self, ReaderInfo.self, WatchReaders.self, UpdateReader.self, ReaderQuirksCommand.self,
        ])
}

/// Where `readers` commands look.
struct BusOptions: ParsableArguments {
    @Flag(help: "Show the simulated readers instead of those on the USB bus.")
    var simulated = false
    @Flag(help: "Show the readers that pcscd has.")
    var pcsc = false

    func validate() throws {
        guard !simulated || !pcsc else { throw ValidationError("--simulated and --pcsc exclude each other") }
    }

    /// - Throws: `CommandFailure`
    func open() throws(CommandFailure) -> any USBBus { try bus().bus }

    /// The readers on the bus, with what the configuration knows of them.
    ///
    /// - Throws: `CommandFailure`
    func source(_ settings: TillConfiguration) throws(CommandFailure) -> USBCardReaderSource {
        let (bus, time) = try bus()
        return USBCardReaderSource(
            bus, quirks: settings.readerQuirks, firmware: settings.readerFirmware, time: time)
    }

    private func bus() throws(CommandFailure) -> (bus: any USBBus, time: any TimeSource) {
        guard simulated else {
            let time = SystemTimeSource()
            return (try Till.usbBus(time: time), time)
        }
        let bus = SimulatedUSBBus(clock: SimulationClock(VirtualTimeSource()))
        for reader in SimulatedReader.all { bus.plug(reader.make(clock: bus.clock).device) }
        return (bus, bus.clock)
    }
}

/// `readers list`
struct ListReaders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the readers that are plugged in.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let settings = try configuration.load()
            let readers =
                bus.pcsc
                ? try await PCSCReaderCatalogue.readers()
                : try await ReaderCatalogue.readers(of: try bus.source(settings))
            guard !output.json else { return try StandardOutput.write(json: readers) }
            if readers.isEmpty {
                StandardError.write(
                    "No card reader found. Plug one in, or give --simulated to see the simulated ones.\n")
            }
            try StandardOutput.write(readers.map(\.line).joined())
        }
    }
}

/// `readers info`
struct ReaderInfo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows what a reader can do, and whether a card is in it.")

    @Argument(help: "The reader's identifier, as 'readers list' shows it. Default: the first one.")
    var reader: String?
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let (view, failure) = try await ask()
            if output.json {
                try StandardOutput.write(json: view)
            } else {
                try StandardOutput.write(view.text)
            }
            guard let failure else { return }
            failure.report()
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func ask() async throws -> (view: ReaderView, failure: CommandFailure?) {
        guard !bus.pcsc else {
            let found = try PCSCReaderCatalogue.find(reader, among: try await PCSCReaderCatalogue.readers())
            return await ReaderView.askingPCSC(found)
        }
        let quirks = try configuration.load().readerQuirks
        let bus = try bus.open()
        let found = try await ReaderCatalogue.find(reader, on: bus, quirks: quirks)
        return await ReaderView.asking(found.reader, device: found.device, bus: bus, table: quirks)
    }
}

/// `readers watch`
struct WatchReaders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Tells of readers that come and go, until it is interrupted.",
        discussion: "With --json every line is a JSON object.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let settings = try configuration.load()
            let source: any CardReaderSource = bus.pcsc ? PCSCReaderSource() : try bus.source(settings)
            let changes = source.changes()
            let cancellation = Cancellation()
            try await CancellationSignals.watching {
                let watching = Task { try await tell(changes, of: source) }
                await cancellation.onRequest { watching.cancel() }
                try await watching.value
            } onSignal: {
                await cancellation.request()
            }
        }
    }

    private func tell(
        _ changes: any AsyncSequence<CardReaderChange, Never> & Sendable, of source: any CardReaderSource
    ) async throws {
        for reader in try await ReaderCatalogue.readers(of: source) { try tell("present", reader) }
        for await change in changes {
            switch change {
            case .arrived(let reader): try tell("arrived", reader)
            case .left(let reader): try tell("left", reader)
            }
        }
    }

    private func tell(_ change: String, _ reader: CardReader) throws {
        guard !output.json else {
            return try StandardOutput.write(line: ReaderChange(change: change, reader: reader))
        }
        try StandardOutput.write(change.padded(to: 8) + reader.line)
    }
}

/// One line of `readers watch --json`.
struct ReaderChange: Encodable, Sendable {
    var change: String
    var reader: CardReader
}
