import ArgumentParser
import ScenarioFormat
import Simulator

/// `simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate sessions, hardware, stores, acquirers, and terminals.",
        subcommands: [
            SimulateRun.self, SimulateExplore.self, SimulateWork.self, SimulateServe.self, SimulateSchema.self,
            SimulateCard.self, SimulateUSB.self, SimulateFirmware.self, SimulateStore.self, SimulateAcquirer.self,
            SimulateTerminal.self, SimulateCertificates.self,
        ])
}

/// `simulate schema`
struct SimulateSchema: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of scenario files.",
        discussion: """
            EXAMPLES:
              cardpresent simulate schema > scenario.schema.json

            An editor with a YAML language server uses it to complete and check scenario files. Start each file with \
            '# yaml-language-server: $schema=PATH'. The schema is JSON, with and without --json.
            """)

    @OptionGroup var output: OutputOptions

    func execute() throws { try StandardOutput.write(ScenarioSchema.text) }
}

/// Options of simulated hardware for other programs.
struct SimulationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Random seed of the cards. The same seed and commands give the same bytes.",
            valueName: "number"))
    var seed: UInt64?
    @Flag(help: "Respond immediately instead of simulating processing times.")
    var virtualTime = false
    @Option(
        help: ArgumentHelp(
            "Write each command and response to this file as JSON lines, with card data masked.",
            valueName: "file"),
        completion: .file())
    var trace: String?
    @Flag(help: "Print events as JSON lines.")
    var json = false
    @OptionGroup var display: DisplayOptions

    /// Runs a command's work. Reports a failure as text on stderr and, with `--json`, as a JSON line on stdout.
    ///
    /// - Throws: The exit code of a failure.
    func reporting(_ work: () async throws -> Void) async throws {
        Display.begin(display, isJSON: json)
        do { try await Display.timing { try await work() } } catch let failure as CommandFailure {
            failure.report()
            if json { StandardOutput.write(event: ["error": failure.json]) }
            throw ExitCode(failure.status.rawValue)
        }
    }

    /// - Throws: `CommandFailure`
    func traceFile() throws(CommandFailure) -> TraceFile? {
        guard let trace else { return nil }
        return try TraceFile(path: trace)
    }
}

/// Options of the connection to other programs.
struct StayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Time to wait for the other side. Default: no limit.", valueName: "seconds"))
    var wait: Int?
    @Flag(help: "Exit when the other side disconnects.")
    var once = false

    func validate() throws {
        try check(wait, in: 0...86_400, "--wait", "seconds")
    }

    var stay: ConnectionOptions { ConnectionOptions(longestWait: wait.map { .seconds($0) }, endsWithPeer: once) }
}

/// The virtual reader that gets the simulated card.
struct BridgeOptions: ParsableArguments {
    private static let standardVPCD = BridgeAddress.tcp(host: "127.0.0.1", port: 35_963)

    @Option(
        help: ArgumentHelp(
            "Insert the card into pcscd's virtual reader (vsmartcard vpcd) at this address.",
            discussion: "Default: 127.0.0.1:35963.", valueName: "host:port"),
        transform: BridgeAddress.argument)
    var vpcd: BridgeAddress?
    @Option(
        help: ArgumentHelp(
            "Insert the card into QEMU's USB reader at this UNIX socket or HOST:PORT.",
            valueName: "socket"),
        completion: .file(), transform: BridgeAddress.argument)
    var vscard: BridgeAddress?
    @OptionGroup private var stayOptions: StayOptions

    func validate() throws {
        guard vpcd == nil || vscard == nil else {
            throw ValidationError("--vpcd and --vscard cannot be used together")
        }
    }

    var kind: BridgeKind { vscard == nil ? .vpcd : .vscard }

    var address: BridgeAddress { vscard ?? vpcd ?? Self.standardVPCD }

    var stay: ConnectionOptions { stayOptions.stay }
}

extension BridgeAddress {
    /// Parses an option's value.
    static func argument(_ text: String) throws -> BridgeAddress {
        guard let address = BridgeAddress(text) else {
            throw ValidationError("'\(text)' is neither HOST:PORT nor a socket path, which must contain a slash")
        }
        return address
    }
}
