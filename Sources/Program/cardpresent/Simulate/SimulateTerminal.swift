import ArgumentParser
import Determinism
import HTTPListening
import TerminalServer

/// `simulate terminal`
struct SimulateTerminal: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminal", abstract: "Serve simulated terminals behind a protocol that tills speak.",
        discussion: """
            EXAMPLES:
              cardpresent simulate terminal --protocol stripe
              cardpresent simulate terminal --protocol stripe --port 0 --seed 7 --json

            Prints its address and runs until Ctrl-C or SIGTERM, which lets running requests end. Give the till this \
            address instead of the vendor's, and a test key such as sk_test_1. See docs/tills.md.
            """)

    /// A protocol of tills.
    enum TillProtocol: String, ExpressibleByArgument, CaseIterable {
        /// Compatible with server-driven Stripe Terminal.
        case stripe
    }

    @Option(name: .customLong("protocol"), help: ArgumentHelp("Protocol of the till.", valueName: "name"))
    var tillProtocol: TillProtocol
    @Option(help: ArgumentHelp("Port to listen on; 0 picks a free port.", valueName: "port"))
    var port = 12_111
    @Option(
        help: ArgumentHelp(
            "Address to listen on.", discussion: "Other addresses than 127.0.0.1 are open to other machines.",
            valueName: "address"))
    var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "Random seed. The same seed and requests give the same IDs, times, and bytes.", valueName: "number"))
    var seed: UInt64 = 1
    @OptionGroup var output: OutputOptions

    func validate() throws { try check(port, in: 0...65_535, "--port") }

    func execute() async throws {
        let time = SystemTimeSource()
        try await ServerRun.run(reloading: ServerReload([], log: nil, time: time)) {
            () async throws(HTTPListenerError) in
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
}
