import ArgumentParser
import Determinism
import FoundationEssentials
import HTTPListening
import SimulationServer
import Simulator
import TerminalServer

/// `simulate serve`
struct SimulateServe: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve simulated payment sessions over HTTP, with a web console.",
        discussion: """
            EXAMPLES:
              cardpresent simulate serve
              cardpresent simulate serve --host 0.0.0.0 --token token.txt
              cardpresent simulate serve --stripe 12111
              cardpresent simulate serve --store postgres://service@db/simulator --tokens tokens.yaml
              cardpresent simulate serve --stripe 12111 --nexo 8443 --zvt 20007

            Prints its address and runs until Ctrl-C or SIGTERM; running requests are finished first. Open the address \
            in a browser for the web console. Tests in any language can use the HTTP interface. SIGHUP reads the files \
            of --token and --limits again and keeps the sessions. See docs/simulate-serve.md.
            """)

    @Option(help: ArgumentHelp("Port to listen on; 0 picks a free port.", valueName: "port"))
    var port = 8200
    @Option(
        help: ArgumentHelp(
            "Address to listen on.",
            discussion: """
                Other addresses than 127.0.0.1 are open to other machines and require a token.
                """, valueName: "address"))
    var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "File with the access token on one line. It is created if it does not exist.",
            valueName: "file"),
        completion: .file())
    var token: String?
    @Option(help: ArgumentHelp("Environment variable with the access token.", valueName: "name"))
    var tokenEnv: String?
    @Option(help: ArgumentHelp("Maximum number of open sessions. Default: 256.", valueName: "count"))
    var sessionsLimit: Int?
    @Option(
        help: ArgumentHelp(
            "YAML file with limits: sessions, and idleSeconds after which an unused session ends.",
            discussion: "With --store also copies, the sessions in memory, and perToken, the quotas of each token.",
            valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var limits: String?
    @Option(
        help: ArgumentHelp(
            "Port for tills that speak a protocol compatible with server-driven Stripe Terminal; 0 picks a free port.",
            discussion: "Each of their readers has a session, which you see and steer in the console.",
            valueName: "port"))
    var stripe: Int?
    @Option(
        help: ArgumentHelp(
            "Port with TLS for tills that speak a protocol compatible with Adyen's Terminal API (nexo); 0 picks a free "
                + "port.",
            discussion: "Its terminals have sessions, too.", valueName: "port"))
    var nexo: Int?
    @Option(
        help: ArgumentHelp(
            "Port for tills that speak ZVT; 0 picks a free port.", discussion: "Its terminal has a session, too.",
            valueName: "port"))
    var zvt: Int?
    @OptionGroup(title: "Nexo Options") var nexoOptions: NexoOptions
    @OptionGroup var storage: SessionStoreOptions
    @OptionGroup var log: LogOptions
    @OptionGroup var output: OutputOptions

    /// The length of a token in bytes.
    static let tokenLength = 16...1024

    func validate() throws {
        try check(port, in: 0...65_535, "--port")
        for (port, name) in [(stripe, "--stripe"), (nexo, "--nexo"), (zvt, "--zvt")] {
            try check(port, in: 0...65_535, name)
        }
        guard nexo != nil || !nexoOptions.isGiven else {
            throw ValidationError(
                "--http-port, --terminal, --certificates, --passphrase-file, and --key-… require --nexo")
        }
        try nexoOptions.checkValues()
        if let sessionsLimit { try check(sessionsLimit, in: ServiceLimits.sessionsRange, "--sessions-limit") }
        guard sessionsLimit == nil || limits == nil else {
            throw ValidationError("--sessions-limit and --limits cannot be used together")
        }
        guard token == nil || tokenEnv == nil else {
            throw ValidationError("--token and --token-env cannot be used together")
        }
        for (port, name) in [(stripe, "--stripe"), (nexo, "--nexo"), (zvt, "--zvt")] where port != nil {
            guard storage.store == nil else {
                throw ValidationError(
                    "\(name) and --store cannot be used together: the payments of tills are no requests of the service")
            }
        }
        guard token != nil || tokenEnv != nil || storage.tokens != nil || SimulationServer.isLoopback(host) else {
            throw ValidationError("--host \(host) is open to other machines: add --token, --token-env, or --tokens")
        }
    }

    func execute() async throws {
        let (secret, file) = try readToken()
        let (time, log) = (SystemTimeSource(), try log.open())
        let limits = try readLimits()
        var configuration = SimulationServiceConfiguration(token: secret)
        configuration.tokens = try storage.readTokens()
        limits.apply(to: &configuration)
        configuration.hosts.insert(host.contains(":") ? "[\(host)]" : host)
        let store = try await storage.open(time)
        let service = SimulationService(configuration, time: time, store: store, log: log?.writer)
        let reload = ServerReload(parts(of: service), log: log, time: time)
        let choice = try tills(time)
        try await ServerRun.run(reloading: reload) { () async throws(HTTPListenerError) in
            try await ServedTills.start(
                try await SimulationServer.start(service, host: host, port: port), service, choice, time: time)
        } onStart: { server throws(CommandFailure) in
            try tell(server, tokenFile: file, limits)
        }
    }

    /// The protocols of tills that are served.
    private func tills(_ time: any TimeSource) throws(CommandFailure) -> ServedTills.Choice {
        let printer = TerminalPrinter(output: output)
        var choice = ServedTills.Choice(stripe: stripe, zvt: zvt)
        choice.onPrint = { printer.print($0) }
        if let nexo {
            choice.nexo = ServedTills.Choice.Nexo(
                options: try nexoOptions.setup(), port: nexoOptions.httpPort ?? (nexo == 0 ? 0 : 8444),
                security: NexoServer.Security(try nexoOptions.tls(host: "127.0.0.1", time: time).server, port: nexo))
        }
        return choice
    }

    /// The parts that can change while the service runs. An environment variable can't.
    private func parts(of service: SimulationService) -> [ServerReload.Part] {
        var parts: [ServerReload.Part] = []
        if token != nil {
            parts.append(
                (
                    "token",
                    { () throws(CommandFailure) in
                        let secret = try readToken().secret
                        service.configure { $0.token = secret }
                    }
                ))
        }
        if storage.tokens != nil {
            parts.append(
                (
                    "tokens",
                    { () throws(CommandFailure) in
                        let tokens = try storage.readTokens()
                        service.configure { $0.tokens = tokens }
                    }
                ))
        }
        if limits != nil {
            parts.append(
                (
                    "limits",
                    { () throws(CommandFailure) in
                        let limits = try readLimits()
                        service.configure { limits.apply(to: &$0) }
                    }
                ))
        }
        return parts
    }

    private func readLimits() throws(CommandFailure) -> ServiceLimits {
        if let limits { return try ServiceLimits(path: limits) }
        var limits = ServiceLimits()
        if let sessionsLimit { limits.sessions = sessionsLimit }
        return limits
    }

    /// - Returns: The token and its file.
    private func readToken() throws(CommandFailure) -> (secret: SealedBytes?, file: String?) {
        if let token {
            let file = try StoreSecretFile(token, named: "token", random: SystemRandomSource())
            guard Self.tokenLength.contains(file.secret.utf8.count) else {
                throw CommandFailure(
                    .badData, code: "no_secret",
                    message: "the token in '\(file.path)' has \(file.secret.utf8.count) characters",
                    fix: "write at least 16 letters and digits into it, or name a file that does not exist yet")
            }
            return (SealedBytes(Array(file.secret.utf8)), file.path)
        }
        guard let tokenEnv else { return (nil, nil) }
        guard let value = ProcessInfo.processInfo.environment[tokenEnv], Self.tokenLength.contains(value.utf8.count),
            value.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw CommandFailure(
                .configuration, code: "no_secret",
                message: "the environment variable \(tokenEnv) does not contain a token",
                fix: "set it to at least 16 letters and digits")
        }
        return (SealedBytes(Array(value.utf8)), nil)
    }

    /// Writes the address of the started server. The token itself is never printed.
    private func tell(_ server: ServedTills, tokenFile: String?, _ limits: ServiceLimits) throws(CommandFailure) {
        let address = server.address
        let (console, openapi) = (address + "/", address + "/openapi.json")
        let json = JSONObject(
            ["address": address, "console": console, "openapi": openapi, "sessionsLimit": limits.sessions],
            known: [
                "tokenFile": tokenFile, "store": storage.store == nil ? nil : "postgresql",
                "stripe": server.tills.stripe, "nexo": server.tills.nexo?.secure,
                "nexoHTTP": server.tills.nexo?.plain, "zvt": server.tills.zvt,
            ])
        try output.write(
            json,
            text: """
                Simulator at \(address)
                  console   \(console)
                  OpenAPI   \(openapi)
                  sessions  at most \(limits.sessions)
                \(storage.store == nil ? "" : "  store     PostgreSQL: other servers continue these sessions\n")\
                \(tokenFile.map { "  token     in \($0)\n" } ?? "")\
                \(server.tills.stripe.map { "  stripe    \($0), with any test key, such as sk_test_1\n" } ?? "")\
                \(server.tills.nexo.map { "  nexo      \($0.secure)/nexo/, without TLS \($0.plain)\n" } ?? "")\
                \(server.tills.zvt.map { "  zvt       \($0), with the password \(ZVTServer.password)\n" } ?? "")
                """)
    }
}
