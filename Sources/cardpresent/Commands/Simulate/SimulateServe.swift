internal import ArgumentParser
internal import Determinism
internal import FoundationEssentials
internal import HTTPListening
internal import SimulationServer
internal import Simulator

/// `simulate serve`
struct SimulateServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves simulated payment sessions over HTTP, with a web console.",
        discussion: """
            It says on stdout where it is, and runs until it is interrupted. Tests in any language can use it; open the \
            address in a browser to insert a card and pay. docs/simulate-serve.md tells what it can do.
            """)

    @Option(help: ArgumentHelp("The port to listen at; 0 takes any that is free.", valueName: "port"))
    var port = 8200
    @Option(
        help: ArgumentHelp(
            "The address of this machine to listen at.",
            discussion: "Others than 127.0.0.1 let other machines in: they need a token.", valueName: "address"))
    var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "The file with the token that clients have to show, on one line. It is made when it is not there.",
            valueName: "file"),
        completion: .file())
    var token: String?
    @Option(
        help: ArgumentHelp("The variable of the environment with the token, in place of a file.", valueName: "name"))
    var tokenEnv: String?
    @Option(help: ArgumentHelp("How many sessions there may be at the same time.", valueName: "count"))
    var sessionsLimit = 256
    @OptionGroup var output: OutputOptions

    private static let mostSessions = 100_000
    /// A token's fewest and most bytes.
    private static let tokenLength = 16...1024

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
        guard (1...Self.mostSessions).contains(sessionsLimit) else {
            throw ValidationError("--sessions-limit is 1 to \(Self.mostSessions)")
        }
        guard token == nil || tokenEnv == nil else {
            throw ValidationError("--token and --token-env exclude each other")
        }
        guard token != nil || tokenEnv != nil || SimulationServer.isLoopback(host) else {
            throw ValidationError("--host \(host) lets other machines in: give --token or --token-env with it")
        }
    }

    func run() async throws {
        try await output.reporting { try await serve() }
    }

    private func serve() async throws {
        let (secret, file) = try readToken()
        let time = SystemTimeSource()
        var configuration = SimulationServiceConfiguration(token: secret, sessionsLimit: sessionsLimit)
        configuration.hosts.insert(host.contains(":") ? "[\(host)]" : host)
        let service = SimulationService(configuration, time: time)
        let cancellation = Cancellation()
        try await CancellationSignals.watching {
            let server: SimulationServer
            do throws(HTTPListenerError) {
                server = try await SimulationServer.start(service, host: host, port: port)
            } catch {
                throw CommandFailure(
                    .unavailable, code: "cannot_listen", message: "\(error)", fix: "give another place with --port")
            }
            await cancellation.onRequest { await server.stop() }
            do throws(CommandFailure) {
                try tell(SimulationServerView(server, sessionsLimit: sessionsLimit, tokenFile: file))
            } catch {
                await server.stop()
                throw error
            }
            await server.finished()
        } onSignal: {
            await cancellation.request()
        }
    }

    /// - Returns: the token, and the file that it is in.
    private func readToken() throws(CommandFailure) -> (secret: SealedBytes?, file: String?) {
        if let token {
            let file = try StoreSecretFile(token, named: "token", random: SystemRandomSource())
            return (SealedBytes(Array(file.secret.utf8)), file.path)
        }
        guard let tokenEnv else { return (nil, nil) }
        guard let value = ProcessInfo.processInfo.environment[tokenEnv], Self.tokenLength.contains(value.utf8.count),
            value.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw CommandFailure(
                .configuration, code: "no_secret", message: "the variable \(tokenEnv) holds no token",
                fix: "set it to 16 or more letters and digits")
        }
        return (SealedBytes(Array(value.utf8)), nil)
    }

    private func tell(_ view: SimulationServerView) throws(CommandFailure) {
        guard !output.json else { return try StandardOutput.write(json: view) }
        try StandardOutput.write(
            """
            Simulator at \(view.address)
              console   \(view.console)
              OpenAPI   \(view.openapi)
              sessions  at most \(view.sessionsLimit)
            \(view.tokenFile.map { "  token     in \($0)\n" } ?? "")
            """)
    }
}
