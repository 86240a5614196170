internal import ArgumentParser
internal import CCID
internal import Determinism
internal import Hardware
internal import Simulator
internal import USB
internal import Yosemite

/// `readers`
struct ReadersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "Shows card readers, and updates their firmware.",
        subcommands: [
            ListReaders.self, ReaderInfo.self, WatchReaders.self, UpdateReader.self, RememberReader.self,
            ForgetReader.self, ReaderQuirksCommand.self,
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
            bus, quirks: settings.readerQuirks, firmware: settings.readerFirmware, time: time,
            magneticStripe: settings.magneticStripe)
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
        commandName: "list", abstract: "Lists the readers that are plugged in, and marks those that were used before.")

    @Flag(help: "List the readers that were used before, plugged in or not, the last one first.")
    var remembered = false
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let remembered = RememberedReaders.known(data)
            guard !self.remembered else { return try tell(remembered) }
            let settings = try configuration.load()
            let readers =
                bus.pcsc
                ? try await PCSCReaderCatalogue.readers()
                : try await ReaderCatalogue.readers(of: try bus.source(settings))
            let known = Set(remembered.map(\.id))
            let views = readers.map { ListedReaderView(reader: $0, isRemembered: known.contains($0.id)) }
            guard !output.json else { return try StandardOutput.write(json: views) }
            if readers.isEmpty {
                StandardError.write(
                    "No card reader found. Plug one in, or give --simulated to see the simulated ones.\n")
            }
            try StandardOutput.write(views.map(\.line).joined())
        }
    }

    private func tell(_ remembered: [RememberedCardReader]) throws {
        let views = remembered.map { RememberedReaderView($0) }
        guard !output.json else { return try StandardOutput.write(json: views) }
        if views.isEmpty { StandardError.write("No reader was used yet.\n") }
        try StandardOutput.write(views.map(\.line).joined())
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
        let settings = try configuration.load()
        let bus = try bus.open()
        let found = try await ReaderCatalogue.find(reader, on: bus, settings)
        // Before the reader is opened, which wakes it.
        let place = await ReaderPlaceView(found.device, on: bus)
        var result = await ReaderView.asking(found.reader, device: found.device, bus: bus, settings)
        result.view.place = place
        return result
    }
}
