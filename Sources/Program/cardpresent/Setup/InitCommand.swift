import ArgumentParser
import Determinism
import Files
import FoundationEssentials
import Glibc
import Money
import TillConfiguration

/// `init`
struct InitCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a configuration by asking a few questions.",
        discussion: """
            EXAMPLES:
              cardpresent init
              cardpresent init --merchant 'Corner Shop' --currency EUR
              cardpresent init --yes --output till.yaml

            Asks for the merchant's name, the currency, the reader, the printer, and the store. Each question has a \
            default, and an option that answers it. The file gets comments for other settings; it never contains a \
            password. A payment names its reader, and a sign-in the store: the commands for them are comments in the \
            file, and are shown at the end.
            """)

    @Option(help: ArgumentHelp("Name of the merchant, at the top of every receipt.", valueName: "name"))
    var merchant: String?
    @Option(
        help: ArgumentHelp(
            "Name of the merchant in plain letters, for cards and hosts, if --merchant has others.", valueName: "name"))
    var plainName: String?
    @Option(help: ArgumentHelp("ISO 4217 currency code.", valueName: "code"))
    var currency: String?
    @Option(
        help: ArgumentHelp("Card reader: simulated, usb, usb:ID, pcsc, or pcsc:NAME.", valueName: "reader"),
        completion: .custom { _, _, _ in await PCSCReaderCatalog.completions() })
    var reader: String?
    @Option(help: ArgumentHelp("Printer for receipts, or none.", valueName: "queue"), completion: .printers)
    var printer: String?
    @Option(help: ArgumentHelp("Address of the store, or none.", valueName: "url"))
    var store: String?
    @Flag(name: .shortAndLong, help: "Use the defaults instead of asking.")
    var yes = false
    @Flag(help: "Replace an existing file.")
    var force = false
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "File to write; '-' is standard output.",
            discussion: """
                Default: $CARDPRESENT_CONFIG; without it $XDG_CONFIG_HOME/cardpresent/cardpresent.yaml, or \
                ~/.config/cardpresent/cardpresent.yaml.
                """, valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var file: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard file != "" else { throw ValidationError("--output must name a file") }
        guard file != "-" || !output.json else { throw ValidationError("--json cannot be used with --output -") }
    }

    func execute() async throws {
        let target = try ConfigurationTarget(named: file, isForced: force)
        let given = StarterAnswers(
            merchant: merchant, plainName: plainName, currency: currency, reader: reader, printer: printer, store: store
        )
        guard yes || given.areComplete || Keyboard.isThere else {
            throw CommandFailure(
                .usage, code: "no_terminal", message: "no terminal for the questions",
                fix: "use --yes for the defaults, with options such as --merchant and --currency for other values")
        }
        let keyboard = Keyboard(time: SystemTimeSource(), longest: 1024)
        let asking = yes || given.areComplete ? nil : Interview.onTerminal(keyboard)
        if asking != nil {
            StandardError.write(
                "Writes \(target.name). An empty line takes the value in brackets; Ctrl-C writes nothing.\n\n")
        }
        let starter = try await StarterQuestions(given: given, interview: asking).answers()
        try target.write(starter.yaml)
        guard let path = target.path else { return }
        let written = WrittenConfiguration(path: path, isDefault: file == nil, starter: starter)
        try output.write(written)
        if !output.json { StandardError.note(written.hints) }
    }
}

/// The file that `init` writes.
struct ConfigurationTarget {
    /// The path; nil for standard output.
    let path: String?
    private let isForced: Bool
    /// Whether missing folders above it are created: only those of the default file are.
    private let createsFolders: Bool

    /// How the file is called in a sentence.
    var name: String { path.map { "'\($0.harmless)'" } ?? "to standard output" }

    /// - Parameters:
    ///   - named: The file that the user named; nil for the one that commands read.
    ///   - isForced: Whether it may replace a file.
    /// - Throws: `CommandFailure` when there is a file already, or no home directory.
    init(named: String?, isForced: Bool) throws(CommandFailure) {
        (self.isForced, createsFolders) = (isForced, named == nil)
        guard named != "-" else {
            path = nil
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let variable = environment["CARDPRESENT_CONFIG"].flatMap(\.nonEmpty)
        guard let path = named ?? variable ?? TillConfiguration.defaultPath(environment: environment) else {
            throw CommandFailure(
                .configuration, code: "no_configuration_path",
                message: "no configuration file: neither --output nor HOME is set",
                fix: "give --output FILE, or set CARDPRESENT_CONFIG or HOME")
        }
        self.path = path
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard isForced else { throw Self.exists(path) }
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(
                .usage, code: "configuration_not_a_file", message: "'\(path)' is not a file", fix: "choose another path"
            )
        }
    }

    private static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            .usage, code: "configuration_exists", message: "'\(path)' already exists",
            fix: "use --force to replace it, or --output FILE for another file")
    }

    /// Writes the file as a whole. One that it replaces stays unchanged until then, and keeps its access rights.
    ///
    /// - Throws: `CommandFailure`
    func write(_ text: String) throws(CommandFailure) {
        guard let path else { return try StandardOutput.write(text) }
        if createsFolders { try createFolders(above: path) }
        // A link stays one.
        let place = resolved(path)
        var status = stat()
        let isReplacing = stat(place, &status) == 0
        let draft = try OutputDraft(path: place, mode: isReplacing ? status.st_mode & 0o777 : 0o644)
        draft.append(Array(text.utf8))
        do throws(CommandFailure) { try draft.commit(replacing: isForced) } catch {
            var status = stat()
            throw !isForced && lstat(path, &status) == 0 ? Self.exists(path) : error
        }
    }

    private func resolved(_ path: String) -> String {
        guard let place = realpath(path, nil) else { return path }
        defer { free(place) }
        return String(cString: place)
    }

    /// Creates the missing folders above the file, for their owner only.
    private func createFolders(above path: String) throws(CommandFailure) {
        do throws(FolderError) { try Files.createFolders(above: path) } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed",
                message: "cannot create the folder '\(error.folder)': \(error.error)",
                fix: "choose a file in a writable folder with --output")
        }
    }
}

/// The result of `init`.
private struct WrittenConfiguration: CommandResult {
    let path: String
    /// Whether commands find the file without --config.
    let isDefault: Bool
    let starter: Starter

    private var option: String { isDefault ? "" : " --config \(path.shellWord)" }

    /// The commands to run next.
    private var commands: [String] {
        ([starter.paymentCommand] + [starter.loginCommand].compactMap(\.self)).map { $0 + option }
    }

    var json: JSONObject {
        // The printer and the store are null for none.
        [
            "file": path, "merchant": starter.settings.merchantName, "currency": starter.settings.currency.code,
            "reader": starter.reader, "printer": starter.settings.printer, "store": starter.store, "next": commands,
        ]
    }

    var text: String { "wrote \(path.harmless)\n" }

    var hints: String { "Next:\n" + commands.map { "  \($0.harmless)\n" }.joined() }
}
