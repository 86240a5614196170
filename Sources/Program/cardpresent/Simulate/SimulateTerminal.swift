import ArgumentParser
import Connections
import Determinism
import HTTPListening
import NexoTerminal
import TerminalServer

/// `simulate terminal`
struct SimulateTerminal: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminal", abstract: "Serve simulated terminals behind a protocol that tills speak.",
        discussion: """
            EXAMPLES:
              cardpresent simulate terminal --protocol stripe
              cardpresent simulate terminal --protocol stripe --port 0 --seed 7 --json
              cardpresent simulate terminal --protocol zvt --port 20007 --seed 1
              cardpresent simulate terminal --protocol nexo --port 8443 --seed 1
              cardpresent simulate terminal --protocol nexo --certificates certificates --passphrase-file passphrase

            Prints its address and runs until Ctrl-C or SIGTERM, which lets running requests end. Give the till this \
            address instead of the vendor's, or of the terminal on the counter. Stripe's clients need a test key, such \
            as sk_test_1. A ZVT terminal carries out one command at a time. See docs/tills.md.
            """)

    @Option(name: .customLong("protocol"), help: ArgumentHelp("Protocol of the till.", valueName: "name"))
    var tillProtocol: TillProtocol
    @Option(
        help: ArgumentHelp(
            "Port to listen on; 0 picks a free port. Default: 12111 for stripe, 20007 for zvt, 8443 for nexo.",
            valueName: "port"))
    var port: Int?
    @Option(help: .listening) var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "Random seed. The same seed and requests give the same IDs, times, and bytes.", valueName: "number"))
    var seed: UInt64 = 1
    @OptionGroup(title: "Nexo Options") var nexo: NexoOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let port { try check(port, in: 0...65_535, "--port") }
        guard tillProtocol == .nexo || !nexo.isGiven else {
            let verb = nexo.given.count == 1 ? "needs" : "need"
            throw ValidationError("\(nexo.given.joined(separator: ", ")) \(verb) --protocol nexo")
        }
        try nexo.checkValues()
    }

    func execute() async throws {
        switch tillProtocol {
        case .stripe: try await serveStripe()
        case .zvt: try await serveZVT()
        case .nexo: try await serveNexo()
        }
    }

    /// Runs a server until a signal stops it, after it wrote its address.
    private func serve<Server: StoppableServer>(
        _ start: (any TimeSource, Int) async throws(HTTPListenerError) -> Server,
        onStart: (Server) throws(CommandFailure) -> Void
    ) async throws {
        let (time, port) = (SystemTimeSource(), port ?? tillProtocol.port)
        try await ServerRun.run(reloading: ServerReload([], log: nil, time: time)) {
            () async throws(HTTPListenerError) in
            try await start(time, port)
        } onStart: { server throws(CommandFailure) in
            try onStart(server)
        }
    }

    private func serveStripe() async throws {
        try await serve { (time, port) async throws(HTTPListenerError) in
            try await TerminalServer.start(seed: seed, host: host, port: port, time: time)
        } onStart: { server throws(CommandFailure) in
            let json: JSONObject = ["address": server.address, "protocol": tillProtocol.rawValue, "key": Self.key]
            try output.write(
                json,
                text: """
                    Terminals at \(server.address)
                      protocol  compatible with server-driven Stripe Terminal
                      key       any test key, such as \(Self.key)

                    """)
        }
    }

    /// A key that every terminal takes.
    private static let key = "sk_test_1"

    private func serveZVT() async throws {
        let printer = TerminalPrinter(output: output)
        try await serve { (time, port) async throws(HTTPListenerError) in
            try await ZVTServer.start(seed: seed, host: host, port: port, time: time) { printer.print($0) }
        } onStart: { server throws(CommandFailure) in
            let json: JSONObject = [
                "address": server.address, "protocol": tillProtocol.rawValue, "terminal": ZVTServer.terminalID,
                "currency": ZVTServer.currency, "password": ZVTServer.password,
            ]
            try output.write(
                json,
                text: """
                    Terminal at \(server.address)
                      protocol  ZVT over TCP, one command at a time
                      terminal  \(ZVTServer.terminalID), \(ZVTServer.currency)
                      password  \(ZVTServer.password)

                    """)
        }
    }

    private func serveNexo() async throws {
        let wall = SystemTimeSource()
        let setup = try nexo.setup()
        let (folder, tls) = try nexo.tls(host: host, time: wall)
        try await serve { (time, port) async throws(HTTPListenerError) in
            try await NexoServer.start(
                setup, seed: seed, host: host, port: nexo.httpPort ?? 8444,
                security: NexoServer.Security(tls, port: port), time: time)
        } onStart: { server throws(CommandFailure) in
            let secure = "https://\(host):\(server.securePort ?? 0)"
            let json: JSONObject = [
                "address": secure, "http": server.address, "protocol": tillProtocol.rawValue,
                "terminals": nexo.terminals, "authority": folder.authority.certificate,
                "keyIdentifier": nexo.key.identifier, "keyVersion": nexo.key.version,
            ]
            try output.write(
                json,
                text: """
                    Terminals at \(secure)/nexo/
                      protocol    compatible with Adyen's Terminal API (nexo)
                      without TLS \(server.address): /nexo/, /sync, /async
                      terminals   \(nexo.terminals.joined(separator: ", "))
                      authority   \(folder.authority.certificate)
                      key         \(nexo.key.identifier), version \(nexo.key.version)

                    """)
        }
    }
}
