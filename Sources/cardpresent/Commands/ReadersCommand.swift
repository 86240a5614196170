internal import ArgumentParser
internal import CCID
internal import Determinism
internal import Hardware
internal import Simulator
internal import USB

/// `readers`
struct ReadersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "Shows card readers.",
        subcommands: [ListReaders.self, ReaderInfo.self, WatchReaders.self])
}

/// Where `readers` commands look.
struct BusOptions: ParsableArguments {
    @Flag(help: "Show the simulated readers instead of those on the USB bus.")
    var simulated = false

    /// - Throws: `CommandFailure`
    func bus(time: any TimeSource) throws(CommandFailure) -> any USBBus {
        if simulated {
            let bus = SimulatedUSBBus(clock: SimulationClock(VirtualTimeSource()))
            for model in SimulatedReaderModel.all { bus.plug(SimulatedCCIDReader(model: model, clock: bus.clock)) }
            return bus
        }
        return try Till.usbBus(time: time)
    }
}

/// `readers list`
struct ListReaders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the readers that are plugged in.")

    @OptionGroup var place: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let readers = try await ReaderCatalogue.readers(on: try place.bus(time: SystemTimeSource())).map(\.reader)
            guard !output.json else { return try StandardOutput.write(json: readers) }
            StandardOutput.write(
                readers.isEmpty ? "No card reader found. Plug one in, or use --reader simulated.\n" : readers.map(\.line).joined())
        }
    }
}

/// `readers info`
struct ReaderInfo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows what a reader can do, and whether a card is in it.")

    @Argument(help: "The reader's identifier, as 'readers list' shows it. Default: the first one.")
    var reader: String?
    @OptionGroup var place: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let bus = try place.bus(time: SystemTimeSource())
            let found = try await ReaderCatalogue.find(reader, on: bus)
            let view = await ReaderView(found.reader, device: found.device, bus: bus)
            guard !output.json else { return try StandardOutput.write(json: view) }
            StandardOutput.write(view.text)
        }
    }
}

/// `readers watch`
struct WatchReaders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Tells of readers that come and go, until it is interrupted.")

    @OptionGroup var place: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let bus = try place.bus(time: SystemTimeSource())
            let changes = bus.hotplugEvents()
            for found in try await ReaderCatalogue.readers(on: bus) { try tell("present", found.reader) }
            let watching = Task {
                for await change in changes {
                    switch change {
                    case .arrived(let device): try CardReader(device).map { try tell("arrived", $0) }
                    case .left(let device): try CardReader(device).map { try tell("left", $0) }
                    }
                }
            }
            try await CancellationSignals.watching {
                try await watching.value
            } onCancel: {
                watching.cancel()
            }
        }
    }

    private func tell(_ change: String, _ reader: CardReader) throws {
        guard !output.json else {
            return try StandardOutput.write(line: ReaderChange(change: change, reader: reader))
        }
        StandardOutput.write(change.padded(to: 8) + reader.line)
    }
}

/// One line of `readers watch --json`.
struct ReaderChange: Encodable, Sendable {
    var change: String
    var reader: CardReader
}
