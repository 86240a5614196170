import ArgumentParser
import Determinism
import Hardware
import Simulator
import TillConfiguration
import USB
import Yosemite

/// `readers`
struct ReadersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "List, show, watch, and update card readers.",
        discussion: """
            EXAMPLES:
              cardpresent readers list
              cardpresent readers info
              cardpresent readers update --check
            """,
        subcommands: [
            ListReaders.self, ReaderInfo.self, WatchReaders.self, UpdateReader.self, RememberReader.self,
            ForgetReader.self, ReaderQuirksCommand.self,
        ])
}

/// The bus that a `readers` command uses.
struct BusOptions: ParsableArguments {
    @Flag(help: "Use the simulated readers.")
    var simulated = false
    @Flag(help: "Use the readers of pcscd.")
    var pcsc = false

    func validate() throws {
        guard !simulated || !pcsc else { throw ValidationError("--simulated and --pcsc cannot be used together") }
    }

    /// - Throws: `CommandFailure`
    func open() throws(CommandFailure) -> any USBBus { try bus().bus }

    /// Returns the readers on the bus, with the configured quirks and firmware.
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
        let bus = SimulatedUSBBus(
            clock: SimulationClock(RunQueue.current == nil ? SystemTimeSource() : VirtualTimeSource()))
        for reader in SimulatedReader.all { bus.plug(reader.make(clock: bus.clock).device) }
        return (bus, bus.clock)
    }
}

/// `readers list`
struct ListReaders: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List connected card readers.",
        discussion: """
            EXAMPLES:
              cardpresent readers list
              cardpresent readers list --remembered
              cardpresent readers list --pcsc
            """)

    @Flag(help: "List the readers used before, connected or not, latest first.")
    var remembered = false
    @OptionGroup var bus: BusOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        guard !self.remembered else {
            let remembered = try RememberedReaders(options.till.data, for: Self.databaseUse).all()
            return try output.write(table: remembered, whenEmpty: "No reader has been used yet.")
        }
        let remembered = RememberedReaders.known(options.till.data)
        let settings = try options.till.settings()
        let readers =
            bus.pcsc
            ? try await PCSCReaderCatalog.readers()
            : try await ReaderCatalog.readers(of: try bus.source(settings))
        let known = Set(remembered.map(\.id))
        try output.write(
            table: readers.map { ListedReader(reader: $0, isRemembered: known.contains($0.id)) },
            whenEmpty: "No card reader found. Connect one, or use --simulated to list the simulated readers.")
    }
}

/// `readers info`
struct ReaderInfo: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show a reader's capabilities and whether it holds a card.",
        discussion: """
            EXAMPLES:
              cardpresent readers info
              cardpresent readers info 1209:0005@1-5 --simulated
            """)

    @Argument(help: "Reader ID, as shown by 'readers list'. Default: the first reader.")
    var reader: String?
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let details = try await ask()
        try output.write(details)
        try Outcome.end(details.failure)
    }

    private func ask() async throws -> ReaderDetails {
        guard !bus.pcsc else {
            let found = try PCSCReaderCatalog.find(reader, among: try await PCSCReaderCatalog.readers())
            return await ReaderDetails.askingPCSC(found)
        }
        let settings = try configuration.load()
        let bus = try bus.open()
        let found = try await ReaderCatalog.find(reader, on: bus, settings)
        // Read the power state before opening the reader, which wakes it.
        let place = await ReaderPlace(found.device, on: bus)
        var details = await ReaderDetails.asking(found.reader, device: found.device, bus: bus, settings)
        details.place = place
        return details
    }
}

/// `readers remember`
struct RememberReader: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "remember", abstract: "Prefer a reader when several are connected.",
        discussion: """
            EXAMPLES:
              cardpresent readers remember 1209:0005@1-5 --simulated

            A payment also remembers its reader. 'cardpresent readers list' marks the remembered readers, and \
            'cardpresent readers list --remembered' also lists those that are not connected.
            """)

    @Argument(
        help: "Reader ID, as shown by 'readers list'. The reader must be connected or already remembered.")
    var reader: String
    @OptionGroup var bus: BusOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let readers = try RememberedReaders(options.till.data, for: Self.databaseUse)
        let (id, name) = try await find(among: try readers.all())
        try readers.remember(id: id, name: name)
        guard let record = try readers.all().first(where: { $0.id == id }) else {
            throw CommandFailure(
                .usage, code: "reader_not_remembered", message: "the reader's ID is too long to store")
        }
        try output.write(record)
    }

    private func find(among remembered: [RememberedCardReader]) async throws -> (id: String, name: String) {
        if let known = remembered.first(where: { $0.id == reader }) { return (known.id, known.name) }
        guard !bus.pcsc else {
            let found = try PCSCReaderCatalog.find(reader, among: try await PCSCReaderCatalog.readers())
            return (found.id, found.name)
        }
        let settings = try options.till.settings()
        let found = try await ReaderCatalog.find(reader, on: try bus.open(), settings).reader
        return (found.id, found.name)
    }
}

/// `readers forget`
struct ForgetReader: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a remembered reader.",
        discussion: """
            EXAMPLES:
              cardpresent readers forget 1209:0005@1-5
              cardpresent readers forget --all

            You can still use the reader. It is remembered again when you do.
            """)

    @Argument(help: "Reader ID, as shown by 'readers list --remembered'.")
    var reader: String?
    @Flag(help: "Forget all readers.")
    var all = false
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all == (reader == nil) else { throw ValidationError("give a reader ID or --all") }
    }

    func execute() throws {
        let readers = try RememberedReaders(data, for: Self.databaseUse)
        let count = try readers.forget(id: reader)
        guard count > 0 || all else {
            let known = try readers.all().map(\.id)
            throw CommandFailure(
                .usage, code: "reader_not_remembered", message: "reader '\(reader ?? "")' is not remembered",
                fix: known.isEmpty ? nil : .choice(of: reader ?? "", among: known, called: "remembered readers"))
        }
        try output.write(["forgotten": count], text: "forgot \(count)\n")
    }
}

/// A reader of `readers list`, with whether it is remembered.
private struct ListedReader: TableRow {
    let reader: CardReader
    let isRemembered: Bool

    var json: JSONObject { JSONObject(extending: reader, with: ["isRemembered": isRemembered]) }

    static var heads: [String] { ["id", "name", "properties"] }

    var cells: [String] { [reader.id, reader.name, reader.properties + (isRemembered ? ", remembered" : "")] }
}

extension RememberedCardReader: CommandResult, TableRow {
    var json: JSONObject { ["id": id, "name": name, "usedAt": usedAt.description] }

    static var heads: [String] { ["id", "name", "used"] }

    var cells: [String] { [id, name, usedAt.secondText] }

    var text: String { "\(id)  \(name)  used \(usedAt.secondText)\n" }
}
