import ArgumentParser
import Determinism
import FoundationEssentials
import Printing
import Simulator
import TillConfiguration

/// The output format of a command's result, and the amount of output besides it.
struct OutputOptions: ParsableArguments, DisplayChoice {
    @Flag(help: .json) var json = false
    @Flag(help: .quiet) var quiet = false
    @Flag(help: .verbose) var verbose = false
    @Option(help: .color) var color = ColorChoice.auto

    func validate() throws { try checkDisplay() }

    /// Writes a result: as JSON with `--json`, otherwise as text.
    ///
    /// - Throws: `CommandFailure`
    func write<Value: Encodable>(
        _ value: @autoclosure () throws(CommandFailure) -> Value, text: @autoclosure () throws(CommandFailure) -> String
    ) throws(CommandFailure) {
        if json { try StandardOutput.write(json: try value()) } else { try StandardOutput.write(try text()) }
    }

    /// Writes a result in the same way.
    ///
    /// - Throws: `CommandFailure`
    func write(_ result: some CommandResult) throws(CommandFailure) { try write(result.json, text: result.text) }

    /// Writes a list: as JSON with `--json`, otherwise as text. Without `--json`, writes `message` and a newline to
    /// stderr when the list is empty.
    ///
    /// - Throws: `CommandFailure`
    func write<Element: Encodable>(
        list: [Element], text: @autoclosure () -> String, whenEmpty message: String?
    ) throws(CommandFailure) {
        if !json, list.isEmpty, let message { StandardError.note(message + "\n") }
        try write(list, text: text())
    }

    /// Writes a list of results, one below the other.
    ///
    /// - Throws: `CommandFailure`
    func write(list: [some CommandResult], whenEmpty message: String? = nil) throws(CommandFailure) {
        try write(list: list.json, text: list.text, whenEmpty: message)
    }

    /// Writes a list as a table with headings. `right` are the right-aligned columns.
    ///
    /// - Throws: `CommandFailure`
    func write<Row: TableRow>(
        table: [Row], right: Set<Int> = [], whenEmpty message: String? = nil
    ) throws(CommandFailure) {
        try write(
            list: table.map(\.json), text: table.isEmpty ? "" : TextTable.text(of: table, right: right),
            whenEmpty: message)
    }
}

/// A command that reports its failure in its output format: as text on stderr and, with `--json`, as JSON on stdout.
protocol ReportingCommand: AsyncParsableCommand {
    var output: OutputOptions { get }
    /// Whether the result on stdout is JSON, and a failure, too.
    var isJSON: Bool { get }
    /// Whether the JSON of a failure has the key `outcome` besides `error`.
    static var hasOutcome: Bool { get }

    /// Does the command's work.
    ///
    /// - Throws: `CommandFailure`, which is reported; another error, which the program's entry point handles.
    func execute() async throws
}

extension ReportingCommand {
    var isJSON: Bool { output.json }
    static var hasOutcome: Bool { false }

    func run() async throws {
        if self is any CardDataCommand { ProcessSetup.keepMemorySecret() }
        Display.begin(output, isJSON: isJSON)
        try await FailureReport(isJSON: isJSON, hasOutcome: Self.hasOutcome).reporting {
            try await Display.timing { try await execute() }
        }
    }
}

/// A ``ReportingCommand`` that handles the data of real cards, so that other processes must not read its memory.
protocol CardDataCommand: ReportingCommand {}

/// A ``ReportingCommand`` whose work needs no other thread.
protocol SynchronousReportingCommand: ParsableCommand {
    var output: OutputOptions { get }

    /// Does the command's work.
    ///
    /// - Throws: As for ``ReportingCommand/execute()``.
    func execute() throws
}

extension SynchronousReportingCommand {
    func run() throws {
        if self is any SynchronousCardDataCommand { ProcessSetup.keepMemorySecret() }
        Display.begin(output, isJSON: output.json)
        try FailureReport(isJSON: output.json).reporting { try Display.timing { try execute() } }
    }
}

/// A ``CardDataCommand`` whose work needs no other thread.
protocol SynchronousCardDataCommand: SynchronousReportingCommand {}

/// The options of most commands: the till's data and the output format.
///
/// Has no groups inside: a debug build of the argument parser checks a group four times for each group around it.
struct CommonOptions: ParsableArguments, DisplayChoice {
    @Option(help: .config, completion: .configuration) var config: String?
    @Option(help: .database, completion: .database) var database: String?
    @Flag(help: .json) var json = false
    @Flag(help: .quiet) var quiet = false
    @Flag(help: .verbose) var verbose = false
    @Option(help: .color) var color = ColorChoice.auto

    func validate() throws { try checkDisplay() }

    var till: TillOptions {
        var options = TillOptions()
        options.config = config
        options.database = database
        return options
    }

    var output: OutputOptions {
        var options = OutputOptions()
        options.json = json
        options.quiet = quiet
        options.verbose = verbose
        options.color = color
        return options
    }
}

extension ArgumentHelp {
    static let json: ArgumentHelp = "Print the result as JSON, errors included."

    static var config: ArgumentHelp {
        ArgumentHelp(
            "Till configuration file.",
            discussion: """
                Default: $CARDPRESENT_CONFIG; without it $XDG_CONFIG_HOME/cardpresent/cardpresent.yaml, or \
                ~/.config/cardpresent/cardpresent.yaml, if the file exists.
                """, valueName: "file")
    }

    static var listening: ArgumentHelp {
        ArgumentHelp(
            "Address to listen on.", discussion: "Other addresses than 127.0.0.1 are open to other machines.",
            valueName: "address")
    }

    static var database: ArgumentHelp {
        ArgumentHelp(
            "Database file.",
            discussion: """
                Default: $CARDPRESENT_DATABASE; without it $XDG_DATA_HOME/cardpresent/cardpresent.sqlite, or \
                ~/.local/share/cardpresent/cardpresent.sqlite.
                """,
            valueName: "file")
    }
}

extension CompletionKind {
    static var configuration: CompletionKind { .file(extensions: ["yaml", "yml"]) }
    static var database: CompletionKind { .file(extensions: ["sqlite"]) }
}

/// A command with ``CommonOptions``.
protocol TillCommand: ReportingCommand {
    var options: CommonOptions { get }
}

extension TillCommand {
    var output: OutputOptions { options.output }
}

/// A command that uses the store.
protocol ShopCommand: TillCommand, DatabaseCommand {
    /// Does the command's work.
    ///
    /// - Throws: As for ``ReportingCommand/execute()``.
    func execute(in shop: Shop) async throws
}

extension ShopCommand {
    func execute() async throws { try await execute(in: try await options.till.shop(for: Self.databaseUse)) }
}

extension ParsableArguments {
    /// Checks that the value of an option is in a range.
    ///
    /// - Parameters:
    ///   - value: The value; nil without the option.
    ///   - range: The allowed values.
    ///   - option: The option, for example `--limit`.
    ///   - unit: The unit for the message, for example `seconds`.
    /// - Throws: `ValidationError`
    func check(_ value: Int?, in range: ClosedRange<Int>, _ option: String, _ unit: String = "") throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            "\(option) must be \(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " " + unit))
    }

    /// Checks that the value of an option is at least 1.
    ///
    /// - Throws: `ValidationError`
    func checkPositive(_ value: Int?, _ option: String) throws {
        guard value ?? 1 > 0 else { throw ValidationError("\(option) must be at least 1") }
    }
}

/// The length of a list.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Maximum number of entries to show.", valueName: "number"))
    var limit: Int?

    func validate() throws { try checkPositive(limit, "--limit") }
}

/// The length of a list that can be long.
struct LongListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Maximum number of entries to show.", valueName: "number"))
    var limit = 100

    func validate() throws { try checkPositive(limit, "--limit") }
}

/// The till configuration to use.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: .config, completion: .configuration) var config: String?
}

/// The database that holds the payments and receipts.
struct DatabaseOptions: ParsableArguments {
    @Option(help: .database, completion: .database) var database: String?

    /// Whether the user named the file, with the option or `CARDPRESENT_DATABASE`.
    var isNamed: Bool { (database ?? Self.variable(ProcessInfo.processInfo.environment)) != nil }

    /// Returns the path of the file to open.
    ///
    /// - Throws: `CommandFailure` when no file is named, neither by the option nor by `CARDPRESENT_DATABASE`, and
    ///   neither `XDG_DATA_HOME` nor `HOME` is set.
    func path(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> String {
        let named = database ?? Self.variable(environment)
        if let database = named, !database.isEmpty {
            // Treat names that SQLite interprets, such as ':memory:', as file names.
            let path = database.hasPrefix(":") || database.hasPrefix("file:") ? "./" + database : database
            StandardError.detail("database", file: path)
            return path
        }
        guard named == nil, let path = Self.defaultPath(environment: environment) else {
            throw CommandFailure(
                .configuration, code: "no_database", message: "no database file: neither --database nor HOME is set",
                fix: "give --database FILE, or set CARDPRESENT_DATABASE or HOME")
        }
        StandardError.detail("database", file: path)
        return path
    }

    /// The value of `CARDPRESENT_DATABASE`; nil when it is not set or empty.
    private static func variable(_ environment: [String: String]) -> String? {
        environment["CARDPRESENT_DATABASE"].flatMap(\.nonEmpty)
    }

    /// Returns the path without `--database`; nil when none of `CARDPRESENT_DATABASE`, `XDG_DATA_HOME`, and `HOME` is
    /// set.
    static func defaultPath(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        variable(environment) ?? directory(environment: environment).map { $0 + "/cardpresent/cardpresent.sqlite" }
    }

    /// Returns the data directory of the XDG base directory specification, which ignores relative values.
    static func directory(environment: [String: String]) -> String? {
        if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") { return home }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
    }
}

/// The till configuration and the database.
struct TillOptions: ParsableArguments {
    @Option(help: .config, completion: .configuration) var config: String?
    @Option(help: .database, completion: .database) var database: String?

    var configuration: ConfigurationOptions {
        var options = ConfigurationOptions()
        options.config = config
        return options
    }

    var data: DatabaseOptions {
        var options = DatabaseOptions()
        options.database = database
        return options
    }

    /// Loads the till configuration.
    ///
    /// - Throws: `CommandFailure`
    func settings() throws(CommandFailure) -> TillConfiguration { try configuration.load() }

    /// Opens the till, which recovers unfinished payments.
    ///
    /// - Parameters:
    ///   - use: What the command does with the database.
    ///   - settings: The till configuration; nil to load it.
    ///   - repeatability: The random seed and clock.
    ///   - rules: The rules of the simulated issuer.
    ///   - isAnnouncing: Whether to report recovered payments on stderr.
    ///   - hostTrace: The trace of messages to the payment host; nil for none.
    /// - Returns: The open till.
    /// - Throws: `CommandFailure`
    func open(
        for use: DatabaseUse, _ settings: TillConfiguration? = nil, _ repeatability: Repeatability = .none,
        rules: IssuerRules = IssuerRules(),
        announcing isAnnouncing: Bool = true, hostTrace: HostTraceFile? = nil
    ) async throws(CommandFailure) -> Till {
        let settings = if let settings { settings } else { try self.settings() }
        let till = try await Waiting.on("Finishing open payments") { () async throws(CommandFailure) in
            try await Till.open(
                for: use, repeatability, settings: settings, data: data, rules: rules,
                hostTrace: hostTrace)
        }
        if isAnnouncing { till.announceRecovery() }
        return till
    }

    /// Returns the environment of the store.
    ///
    /// - Throws: `CommandFailure`
    func storeEnvironment() throws(CommandFailure) -> StoreEnvironment {
        try StoreEnvironment(data: data, settings: try settings())
    }

    /// Opens the store that the user is signed in to.
    ///
    /// - Parameter use: What the command does with the database.
    /// - Returns: The store.
    /// - Throws: `CommandFailure`
    func shop(for use: DatabaseUse) async throws(CommandFailure) -> Shop {
        try Shop(stores: try storeEnvironment().signedInComposition(for: use).stores())
    }

    /// Returns the printers of this till.
    ///
    /// - Throws: `CommandFailure`
    func printers() throws(CommandFailure) -> Printers { TillPrinters.service(try settings(), data) }

    /// Loads the simulated issuer's ledger of this database.
    ///
    /// - Throws: `CommandFailure`
    func issuerLedger() throws(CommandFailure) -> IssuerLedger { try HostFactory.book(beside: try data.path()) }
}

/// A day on the command line: `2026-01-02`.
struct Day: ExpressibleByArgument, Hashable, Sendable {
    let date: CivilDate

    init?(argument: String) {
        guard let date = CivilDate(argument), date == date.startOfDay, argument.utf8.count == 10 else { return nil }
        self.date = date
    }
}

extension Day {
    /// The start of the day in this machine's time zone.
    var beginning: Timestamp { Self.midnight(date) }

    /// The start of the next day.
    var end: Timestamp { Self.midnight(date.advanced(days: 1)) }

    /// Returns midnight in local time. When the clocks change at midnight, the new offset applies.
    private static func midnight(_ day: CivilDate, time: any TimeSource = SystemTimeSource()) -> Timestamp {
        let utc = Timestamp(day)
        func local(_ offset: Int) -> Timestamp { utc.advanced(by: .seconds(-offset)) }
        return local(time.offsetSeconds(at: local(time.offsetSeconds(at: utc))))
    }
}

/// A time on the command line: `2026-01-02`, or with a time of day, `2026-01-02T15:04:05Z`. Without an
/// offset it is in UTC.
struct Moment: ExpressibleByArgument, Hashable, Sendable {
    let timestamp: Timestamp

    init?(argument: String) {
        guard let timestamp = Timestamp(argument) ?? CivilDate(argument).map({ Timestamp($0) }) else { return nil }
        self.timestamp = timestamp
    }
}
