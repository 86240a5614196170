import ArgumentParser
import Connections
import Determinism
import Fleet
import FleetServer
import HTTPListening
import Text

/// `fleet serve`
struct ServeFleet: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the back office over HTTP, with a web console.",
        discussion: """
            EXAMPLES:
              cardpresent fleet serve
              cardpresent fleet serve --listen 0.0.0.0 --tls /etc/cardpresent/office-tls --log json

            Prints its address and runs until Ctrl-C or SIGTERM; running requests are finished first. Open the address \
            in a browser for the web console. Every request for data needs a token of 'fleet token make', and has the \
            rights of the token's login: the database decides what it may see and do. Give this command a login of its \
            own, which sees nothing itself: 'fleet grant LOGIN --as server'. Other machines can reach it only with \
            --tls; a folder without a certificate gets one.
            """)

    @Option(help: ArgumentHelp("Port to listen on; 0 picks a free port.", valueName: "port"))
    var port = 8300
    @Option(
        help: ArgumentHelp(
            "Address to listen on.",
            discussion: "Other addresses than those of this machine's loopback require --tls.", valueName: "address"))
    var listen = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "Folder with the server's certificate and key. What is missing is made.", valueName: "folder"),
        completion: .directory)
    var tls: String?
    @Option(help: ArgumentHelp("Connections to the database.", valueName: "number"))
    var connections = 4
    @OptionGroup var office: OfficeOptions
    @OptionGroup var log: LogOptions
    @OptionGroup var output: OutputOptions

    /// How long a request may wait for the database.
    private static let limit: Duration = .seconds(15)

    private var isLoopback: Bool { TCPAddress(host: listen, port: 0).isLoopback }

    func validate() throws {
        try check(port, in: 0...65_535, "--port")
        try check(connections, in: 1...64, "--connections")
        guard isLoopback || tls != nil else {
            throw ValidationError("--listen \(listen) is open to other machines: add --tls")
        }
    }

    func execute() async throws {
        let (time, log) = (SystemTimeSource(), try log.open())
        var offices: [BackOffice] = []
        for _ in 0..<connections { offices.append(try office.open(limit: Self.limit)) }
        let service = FleetService(offices, time: time, random: SystemRandomSource(), log: log?.writer)
        let certificate = try tls.map { (path) throws(CommandFailure) in
            try TLSServer.ofFolder(path, host: listen, isLoopback: isLoopback, time: time)
        }
        let (host, port) = (listen, port)
        let reload = ServerReload([], log: log, time: time)
        try await ServerRun.run(reloading: reload) { () async throws(HTTPListenerError) in
            try await FleetServer.start(service, host: host, port: port, tls: certificate)
        } onStart: { server throws(CommandFailure) in
            let address = server.address
            try output.write(
                ["address": address, "console": address + "/", "openapi": address + "/openapi.json"] as JSONObject,
                text: """
                    Back office at \(address)
                      console   \(address)/
                      OpenAPI   \(address)/openapi.json

                    """)
        }
    }
}

extension FleetServer: StoppableServer {}
