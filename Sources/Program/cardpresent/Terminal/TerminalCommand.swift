import ArgumentParser
import Connections
import Determinism
import FoundationEssentials
import HTTPListening
import Payments
import StripeTerminal
import TerminalServer
import TillConfiguration

/// `terminal`
struct TerminalCommand: TillCommand, CardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminal", abstract: "Be the card terminal of a till that speaks a terminal protocol.",
        discussion: """
            EXAMPLES:
              cardpresent terminal --protocol stripe --reader usb
              cardpresent terminal --protocol stripe --reader usb --key key.txt --tls certificates --host 192.168.1.50
              cardpresent terminal --protocol stripe --reader simulated --port 0 --json

            Takes payments at the reader with the host, the database, and the journal of the configuration, as \
            'cardpresent pay' does, for a till that asks for them over the network. Prints its address and runs until \
            Ctrl-C or SIGTERM: a payment that waits for a card is canceled, and one that may have moved money is \
            finished by the next command.

            Only this machine can reach it, unless it has a key and TLS. See docs/tills.md.
            """)

    /// A protocol of tills.
    enum TillProtocol: String, ExpressibleByArgument, CaseIterable {
        /// Compatible with server-driven Stripe Terminal.
        case stripe
    }

    @Option(name: .customLong("protocol"), help: ArgumentHelp("Protocol of the till.", valueName: "name"))
    var tillProtocol: TillProtocol
    @OptionGroup var environment: EnvironmentOptions
    @Option(help: ArgumentHelp("Port to listen on; 0 picks a free port.", valueName: "port"))
    var port = 12_111
    @Option(
        help: ArgumentHelp(
            "Address to listen on.", discussion: "Other addresses than 127.0.0.1 require a key and --tls.",
            valueName: "address"))
    var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "File with the secret key of tills on one line. It is created if it does not exist.",
            discussion: "Default: on 127.0.0.1, any key that begins with sk_test_.", valueName: "file"),
        completion: .file())
    var key: String?
    @Option(help: ArgumentHelp("Environment variable with the secret key of tills.", valueName: "name"))
    var keyEnv: String?
    @Option(
        help: ArgumentHelp(
            "Folder with the certificates for TLS. What is missing is made; tills trust its ca.pem.",
            valueName: "folder"),
        completion: .directory)
    var tls: String?
    @Option(help: ArgumentHelp("Time to wait for a card.", valueName: "seconds"))
    var timeout: Int = 60
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    /// The length of a key in bytes.
    private static let keyLength = 16...255

    func validate() throws {
        try check(port, in: 0...65_535, "--port")
        try check(timeout, in: 1...3600, "--timeout", "seconds")
        guard key == nil || keyEnv == nil else {
            throw ValidationError("--key and --key-env cannot be used together")
        }
        let missing = [tls == nil ? "--tls" : nil, key == nil && keyEnv == nil ? "--key or --key-env" : nil]
            .compactMap(\.self)
        guard isLoopback || missing.isEmpty else {
            throw ValidationError(
                "--host \(host) is open to other machines: add \(missing.joined(separator: ", and "))")
        }
    }

    private var isLoopback: Bool { TCPAddress(host: host, port: 0).isLoopback }

    func execute() async throws {
        let settings = try options.till.settings()
        let (access, keyFile) = try readKey()
        let tls = try makeTLS()
        let rules = try issuer.rules()
        // Read the PIN before the signals are handled, so that Ctrl-C at the prompt still ends the program.
        let pin = try PINOption.digits(environment.pin)
        let wall = SystemTimeSource()
        let world = TillWorld(environment.reader)
        let till = try await world.run { [environment, options] () async throws(CommandFailure) in
            try await Till.open(environment, pin: pin, settings: settings, data: options.till.data, rules: rules)
        }
        // Opening the database has made its folder.
        let keys = try spentKeys(wall)
        till.announceRecovery()
        try till.stopIfRestored()
        if !world.isSimulated {
            do throws(CommandFailure) { try await till.findReader(settings) } catch {
                // It may be plugged in later.
                StandardError.complain(
                    "\(error.message): tills see it offline until it is there" + (error.fix.map { "\n  \($0)" } ?? ""))
            }
        }
        let counter = TillCounter(
            till: till, world: world, settings: settings, cardTimeout: .seconds(timeout),
            progress: ProgressDisplay(isEnabled: StandardError.isTerminal, receipt: settings.receipt), wall: wall,
            time: till.time)
        let own = StripeOwnReader(
            merchant: settings.merchant.merchantID, terminal: settings.merchant.terminalID,
            label: settings.merchant.name)
        let readers = TerminalCounters.single(
            counter, clock: world.isSimulated ? .simulated(start: till.time.now()) : .wall(till.time))
        let random = environment.determinism.repeatability.random.stream("terminal protocol")
        try await ServerRun.run(reloading: ServerReload([], log: nil, time: wall)) {
            () async throws(HTTPListenerError) in
            let inner = try await TerminalServer.start(
                .own(own, access: access, spentKeys: keys.earlier), readers, random: random, keys: keys,
                host: tls == nil ? host : "127.0.0.1", port: tls == nil ? port : 0, time: wall)
            return try await FrontedTerminal.start(inner, tls, host: host, port: port, time: wall)
        } onStart: { server throws(CommandFailure) in
            let json = JSONObject(
                ["address": server.address, "protocol": tillProtocol.rawValue, "reader": own.id],
                known: ["keyFile": keyFile])
            try output.write(
                json,
                text: """
                    Terminal at \(server.address)
                      protocol  compatible with server-driven Stripe Terminal
                      reader    \(own.id) (\(environment.reader.defaultValueDescription))
                      key       \(keyText(keyFile))

                    """)
        }
    }

    private func keyText(_ file: String?) -> String {
        if let file { return "the one in \(file)" }
        return keyEnv.map { "the one in $\($0)" } ?? "any test key, such as sk_test_1"
    }

    /// - Returns: Which keys tills may use, and the file of the key.
    /// - Throws: `CommandFailure`
    private func readKey() throws(CommandFailure) -> (StripeAccess, file: String?) {
        let (text, file): (String, String?)
        if let key {
            let secret = try StoreSecretFile(key, named: "terminal-key", random: SystemRandomSource())
            (text, file) = (secret.secret, secret.path)
        } else if let keyEnv {
            (text, file) = (ProcessInfo.processInfo.environment[keyEnv] ?? "", nil)
        } else {
            return (.testKeys, nil)
        }
        guard Self.keyLength.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(":"), !text.hasPrefix("pk_"), let access = StripeAccess.key(Array(text.utf8))
        else {
            let place = file.map { "the file '\($0)'" } ?? "the environment variable \(keyEnv ?? "")"
            throw CommandFailure(
                .configuration, code: "no_secret", message: "\(place) does not contain a key",
                fix: "write 16 to 255 letters and digits into it")
        }
        return (access, file)
    }

    /// - Throws: `CommandFailure`
    private func makeTLS() throws(CommandFailure) -> TLSServer? {
        try tls.map { (path) throws(CommandFailure) in
            try TLSServer.ofFolder(path, host: host, isLoopback: isLoopback, time: SystemTimeSource())
        }
    }

    /// Opens the file of used idempotency keys, which is beside the database.
    ///
    /// - Throws: `CommandFailure`
    private func spentKeys(_ time: any TimeSource) throws(CommandFailure) -> SpentKeyFile {
        let path = try options.till.data.path() + "-till-keys"
        do throws(SpentKeyFile.Failure) { return try SpentKeyFile(path: path, time: time) } catch {
            throw CommandFailure(
                .unavailable, code: "terminal_keys", message: "the keys of tills can't be kept: \(error)",
                fix: "choose another database with --database")
        }
    }
}

/// A terminal, and what takes its TLS connections.
final class FrontedTerminal: StoppableServer {
    /// The base address for tills, without a slash at the end.
    let address: String
    private let inner: TerminalServer
    private let front: TLSFront?

    private init(address: String, inner: TerminalServer, front: TLSFront?) {
        (self.address, self.inner, self.front) = (address, inner, front)
    }

    /// Puts TLS before a terminal.
    ///
    /// - Throws: `HTTPListenerError`
    static func start(
        _ inner: TerminalServer, _ tls: TLSServer?, host: String, port: Int, time: any TimeSource
    ) async throws(HTTPListenerError) -> FrontedTerminal {
        guard let tls else { return FrontedTerminal(address: inner.address, inner: inner, front: nil) }
        do throws(HTTPListenerError) {
            let front = try await TLSFront.start(
                tls, at: TCPAddress(host: host, port: UInt16(clamping: port)),
                before: TCPAddress(host: "127.0.0.1", port: UInt16(clamping: inner.port)), time: time)
            return FrontedTerminal(address: "https://\(front.address)", inner: inner, front: front)
        } catch {
            await inner.stop()
            throw error
        }
    }

    func stop(within limit: Duration) async {
        await inner.stop(within: limit)
        await front?.stop()
    }

    func finished() async { await inner.finished() }
}
