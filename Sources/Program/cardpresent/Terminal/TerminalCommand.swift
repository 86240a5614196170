import ArgumentParser
import Connections
import Determinism
import FoundationEssentials
import HTTPListening
import Money
import NexoTerminal
import Payments
import Storage
import StripeTerminal
import Terminal
import TerminalServer
import Text
import TillConfiguration
import ZVT

/// `terminal`
struct TerminalCommand: TillCommand, CardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminal", abstract: "Take payments for tills that speak a terminal protocol.",
        discussion: """
            EXAMPLES:
              cardpresent terminal --protocol stripe --reader usb
              cardpresent terminal --protocol stripe --reader usb --key key.txt --tls certificates --host 192.168.1.50
              cardpresent terminal --protocol zvt --reader usb
              cardpresent terminal --protocol nexo --reader usb --tls certificates --passphrase-file passphrase
              cardpresent terminal --protocol stripe --protocol zvt --reader simulated --port 0 --port 0 --json

            Acts as the card terminal of a till: the till asks for payments over the network, and this command takes \
            them at the reader as 'cardpresent pay' does, with the same configuration and journal. Prints its address \
            and runs until Ctrl-C or SIGTERM. Then a payment that waits for a card is canceled, and one that may have \
            moved money is finished by the next command.

            Tills of several protocols can use one reader: while it works for one of them, the others get their \
            protocol's busy error. The journal keeps the names that tills give their payments, so that a till finds \
            its payment again after a restart.

            Only this machine can reach it, unless it has TLS and a secret: the key for stripe, the passphrase for \
            nexo, and a certificate of the till for zvt. With --tls at 127.0.0.1, zvt demands no certificate. See \
            docs/tills.md.
            """)

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("Protocol of the till. Can be repeated: the tills share the reader.", valueName: "name"))
    var protocols: [TillProtocol]
    @OptionGroup var environment: EnvironmentOptions
    @Option(
        help: ArgumentHelp(
            "Port to listen on; 0 picks a free port. Can be repeated, in the order of the protocols.",
            discussion: "Default: 12111 for stripe, 20007 for zvt, 8443 for nexo with TLS.", valueName: "port"))
    var port: [Int] = []
    @Option(
        help: ArgumentHelp(
            "Port of nexo without TLS, for this machine only; 0 picks a free port. Default: 8444.", valueName: "port"))
    var httpPort: Int?
    @Option(
        help: ArgumentHelp(
            "Address to listen on.", discussion: "Other addresses than 127.0.0.1 require --tls and a secret.",
            valueName: "address"))
    var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "File with the secret key of stripe tills on one line. It is created if it does not exist.",
            discussion: "Default: on 127.0.0.1, any key that begins with sk_test_.", valueName: "file"),
        completion: .file())
    var key: String?
    @Option(help: ArgumentHelp("Environment variable with the secret key of stripe tills.", valueName: "name"))
    var keyEnv: String?
    @OptionGroup(title: "Nexo Options") var nexoKey: NexoKeyOptions
    @Option(
        help: ArgumentHelp(
            "Terminal ID (POIID) for nexo: model-serial. Default: CardPresent and the terminal's number.",
            valueName: "id"))
    var terminal: String?
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
        for port in port { try check(port, in: 0...65_535, "--port") }
        try check(httpPort, in: 0...65_535, "--http-port")
        try check(timeout, in: 1...3600, "--timeout", "seconds")
        guard Set(protocols).count == protocols.count else { throw ValidationError("--protocol names one twice") }
        guard port.count <= protocols.count else { throw ValidationError("there are more --port than --protocol") }
        guard key == nil || keyEnv == nil else {
            throw ValidationError("--key and --key-env cannot be used together")
        }
        guard protocols.contains(.stripe) || key == nil && keyEnv == nil else {
            throw ValidationError("--key and --key-env require --protocol stripe")
        }
        guard protocols.contains(.nexo) || !nexoKey.isGiven && terminal == nil && httpPort == nil else {
            throw ValidationError(
                "--terminal, --http-port, --passphrase-file, and --key-… require --protocol nexo")
        }
        if let terminal { try TerminalCertificateOptions.check(terminal) }
        let lacksKey = protocols.contains(.stripe) && key == nil && keyEnv == nil
        let lacksPassphrase = protocols.contains(.nexo) && nexoKey.passphraseFile == nil
        let missing = [
            tls == nil ? "--tls" : nil, lacksKey ? "--key or --key-env" : nil,
            lacksPassphrase ? "--passphrase-file" : nil,
        ].compactMap(\.self)
        guard isLoopback || missing.isEmpty else {
            throw ValidationError(
                "--host \(host) is open to other machines: add \(missing.joined(separator: ", and "))")
        }
    }

    /// The port of a protocol.
    private func port(of till: TillProtocol) -> Int {
        let place = protocols.firstIndex(of: till) ?? 0
        return port.indices.contains(place) ? port[place] : till.port
    }

    private var isLoopback: Bool { TCPAddress(host: host, port: 0).isLoopback }

    func execute() async throws {
        let settings = try options.till.settings()
        let (access, keyFile) = try readKey()
        let rules = try issuer.rules()
        // Read the PIN before the signals are handled, so that Ctrl-C at the prompt still ends the program.
        let pin = try PINOption.digits(environment.pin)
        let wall = SystemTimeSource()
        let world = TillWorld(environment.reader)
        let till = try await world.run { [environment, options] () async throws(CommandFailure) in
            try await Till.open(environment, pin: pin, settings: settings, data: options.till.data, rules: rules)
        }
        // Opening the database has made its folder. The file is locked, so that a database has one terminal.
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
        let reader = TillReader(
            counter: try counter(till, world, settings, wall), till: till, settings: settings, keys: keys,
            access: access, tls: try makeTLS(settings, isForZVT: false),
            zvtTLS: protocols.contains(.zvt) ? try makeTLS(settings, isForZVT: true) : nil,
            nexo: try nexoOptions(settings), shared: SharedReader(isOpen: false), isSimulated: world.isSimulated,
            random: environment.determinism.repeatability.random.stream("terminal protocol"),
            printer: TerminalPrinter(output: output), wall: wall)
        try await ServerRun.run(reloading: ServerReload([], log: nil, time: wall)) {
            () async throws(HTTPListenerError) in
            let servers = try await TillServers.start(protocols) { (till) async throws(HTTPListenerError) in
                try await reader.start(till, host: host, port: port(of: till), httpPort: httpPort ?? 8444)
            }
            // A till of the first protocol must not come before what the last one has to take back.
            reader.shared.open()
            return servers
        } onStart: { servers throws(CommandFailure) in
            try tell(servers.all, reader, keyFile)
        }
    }

    private func counter(
        _ till: Till, _ world: TillWorld, _ settings: TillConfiguration, _ wall: any TimeSource
    ) throws(CommandFailure) -> TillCounter {
        let memory: TillMemory
        do throws(JournalError) {
            memory = try TillMemory(PaymentJournal(reading: till.storage), time: till.time)
        } catch {
            throw CommandFailure(
                .unavailable, code: "terminal_requests", message: "the requests of tills can't be read: \(error)",
                fix: "run 'cardpresent doctor'")
        }
        return TillCounter(
            till: till, world: world, settings: settings, cardTimeout: .seconds(timeout),
            progress: ProgressDisplay(isEnabled: StandardError.isTerminal, receipt: settings.receipt), wall: wall,
            memory: memory)
    }

    /// Says where tills find the terminal.
    private func tell(
        _ servers: [TillServer], _ reader: TillReader, _ keyFile: String?
    ) throws(CommandFailure) {
        let views = servers.map { server in
            JSONObject(
                ["address": server.address, "protocol": server.till.rawValue],
                known: [
                    "reader": server.till == .stripe ? reader.stripe.id : nil,
                    "keyFile": server.till == .stripe ? keyFile : nil,
                    "http": server.plainAddress, "terminal": reader.name(for: server.till),
                ])
        }
        let texts = servers.map { server in
            let lines: [(String, String)] =
                switch server.till {
                case .stripe:
                    [
                        ("protocol", "compatible with server-driven Stripe Terminal"),
                        ("reader", "\(reader.stripe.id) (\(environment.reader.defaultValueDescription))"),
                        ("key", keyText(keyFile)),
                    ]
                case .zvt:
                    [
                        ("protocol", "ZVT over TCP, one command at a time"),
                        ("terminal", "\(reader.name(for: .zvt) ?? ""), \(reader.settings.currency.code)"),
                        ("password", ZVTServer.password),
                    ]
                case .nexo:
                    [
                        ("protocol", "compatible with Adyen's Terminal API (nexo), at /nexo/"),
                        ("terminal", reader.name(for: .nexo) ?? ""),
                        ("messages", nexoKey.passphraseFile == nil ? "in clear text" : "encrypted"),
                    ]
                }
            return "Terminal at \(server.address)\n"
                + lines.map { "  \($0.0.padded(to: 8))  \($0.1)\n" }.joined()
        }
        try output.write(views.count == 1 ? views[0] : ["terminals": views], text: texts.joined())
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

    /// Makes the server's side of TLS. ZVT has no secret of its own, so tills on other machines show a certificate of
    /// the folder's authority.
    ///
    /// - Throws: `CommandFailure`
    private func makeTLS(_ settings: TillConfiguration, isForZVT: Bool) throws(CommandFailure) -> TLSServer? {
        guard let tls else { return nil }
        let name = protocols.contains(.nexo) ? TerminalCertificateOptions.commonName(poi(settings)) : nil
        return try TLSServer.ofFolder(
            tls, host: host, isLoopback: isLoopback, commonName: name,
            demandingCertificates: isForZVT && !isLoopback, time: SystemTimeSource())
    }

    private func poi(_ settings: TillConfiguration) -> String {
        if let terminal { return terminal }
        let number = settings.merchant.terminalID.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return "CardPresent-" + (number.isEmpty ? "1" : number.prefix(20))
    }

    /// - Throws: `CommandFailure`
    private func nexoOptions(_ settings: TillConfiguration) throws(CommandFailure) -> NexoTerminalOptions {
        var options = NexoTerminalOptions(terminals: [poi(settings)], key: try nexoKey.key())
        options.takesClearText = nexoKey.passphraseFile == nil
        options.merchantID = settings.merchant.merchantID
        return options
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

/// A protocol of tills.
enum TillProtocol: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Compatible with server-driven Stripe Terminal.
    case stripe
    /// ZVT, over TCP.
    case zvt
    /// Compatible with Adyen's Terminal API, which has the messages of nexo.
    case nexo

    /// The port on which tills look for a terminal.
    var port: Int {
        switch self {
        case .stripe: 12_111
        case .zvt: 20_007
        case .nexo: 8443
        }
    }
}
