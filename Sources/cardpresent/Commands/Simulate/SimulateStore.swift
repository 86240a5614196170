internal import ArgumentParser
internal import Determinism
internal import HTTPListening
internal import StoreSite
internal import StoreSiteServer

/// `simulate store`
struct SimulateStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Serves a simulated WooCommerce store, and WordPress.com in front of it.",
        discussion: """
            It says on stdout where it is and where the password is, and runs until it is interrupted. Sign in to it \
            with 'cardpresent login'. docs/simulate-store.md tells what it can do, and how to make things go wrong.
            """)

    @Option(help: ArgumentHelp("The port to listen at; 0 takes any that is free.", valueName: "port"))
    var port = 8181
    @Option(
        help: ArgumentHelp(
            "The address of this machine to listen at.", discussion: "Others than 127.0.0.1 let other machines in.",
            valueName: "address"))
    var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "What the store is made of: the same number gives the same store at the same --now.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("How many orders the store has at first.", valueName: "count"))
    var orders = 50
    @Option(help: ArgumentHelp("The name of the store's owner.", valueName: "name"))
    var username = "shopkeeper"
    @Option(
        help: ArgumentHelp(
            "The file with the owner's password, on one line. It is made when it is not there.",
            discussion: "Default: simulated-store/password beside the records.", valueName: "file"),
        completion: .file())
    var passwordFile: String?
    @Option(
        help: ArgumentHelp(
            "The file with the owner's token for WordPress.com. It is made when it is not there.",
            discussion: "Default: simulated-store/token beside the records.", valueName: "file"),
        completion: .file())
    var tokenFile: String?
    @Option(
        help: ArgumentHelp(
            "What the store takes for now, for example 2026-01-02T12:00:00Z. Default: the time.", valueName: "moment"),
        transform: Self.moment)
    var now: Timestamp?
    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "What goes wrong: [METHOD] [/PATH] [WHEN] FAULT. Give it again for another rule.",
            discussion: "For example 'POST /wc/v3/orders/* #1 lost-answer' or 'GET every:3 503:2'.", valueName: "rule"),
        transform: Self.rule)
    var faults: [FaultRule] = []
    @Flag(help: "Give the store the Stripe extension beside WooPayments: a till has to choose then.")
    var stripe = false
    @Flag(help: "Tell every request on stderr.")
    var verbose = false
    @OptionGroup var output: OutputOptions

    private static let mostOrders = 200_000

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
        guard (0...Self.mostOrders).contains(orders) else {
            throw ValidationError("--orders is 0 to \(Self.mostOrders)")
        }
        guard !username.isEmpty, username.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") })
        else { throw ValidationError("--username is a word of ASCII letters and digits") }
    }

    private static func moment(_ text: String) throws -> Timestamp {
        guard let moment = Timestamp(text) else {
            throw ValidationError("'\(text)' is no moment: write one such as 2026-01-02T12:00:00Z")
        }
        return moment
    }

    private static func rule(_ text: String) throws -> FaultRule {
        do throws(FaultRuleError) { return try FaultRule(text) } catch { throw ValidationError("\(error)") }
    }

    func run() async throws {
        try await output.reporting { try await serve() }
    }

    private func serve() async throws {
        let random = SystemRandomSource()
        let password = try StoreSecretFile(passwordFile, named: "password", random: random)
        let token = try StoreSecretFile(tokenFile, named: "token", random: random)
        let system = SystemTimeSource()
        let site = StoreSite(
            StoreSiteConfiguration(
                address: "http://\(host):\(port)", orders: orders, username: username,
                password: SitePassword(password.secret), token: SitePassword(token.secret), hasStripe: stripe),
            time: now.map { ShiftedTimeSource(startingAt: $0) } ?? system, random: SeededRandomSource(seed: seed))
        for fault in faults { site.add(fault) }
        let isVerbose = verbose
        let onAnswer: @Sendable (SiteAnswer) -> Void = { answer in
            if isVerbose { StandardError.write(Self.line(answer)) }
        }
        let cancellation = Cancellation()
        try await CancellationSignals.watching {
            let server: StoreSiteServer
            do throws(HTTPListenerError) {
                server = try await StoreSiteServer.start(
                    site, host: host, port: port, time: system, onAnswer: onAnswer)
            } catch {
                throw CommandFailure(
                    .unavailable, code: "cannot_listen", message: "\(error)", fix: "give another place with --port")
            }
            await cancellation.onRequest { await server.stop() }
            do throws(CommandFailure) {
                try tell(StoreSiteView(server, site, username, password.path, token.path))
            } catch {
                await server.stop()
                throw error
            }
            await server.finished()
        } onSignal: {
            await cancellation.request()
        }
    }

    private func tell(_ view: StoreSiteView) throws(CommandFailure) {
        guard !output.json else { return try StandardOutput.write(json: view) }
        try StandardOutput.write(
            """
            Store at \(view.address)
              site                 \(view.siteID) with WooCommerce, \(view.blogID) without at \(view.address)/blog
              user name            \(view.username)
              password             in \(view.passwordFile)
              WordPress.com token  in \(view.tokenFile)
              control              \(view.control)

            """)
    }

    /// Of a request and its answer: nothing secret, and nothing of what was asked.
    private static func line(_ answer: SiteAnswer) -> String {
        let seen = answer.seen
        let place = seen.route.map { "\($0) (\(seen.path))" } ?? seen.path
        let status = seen.status == 0 ? "no answer" : "\(seen.status), \(answer.response.body.count) bytes"
        return "\(seen.method) \(place): \(status)\(seen.fault.map { ", fault: \($0)" } ?? "")\n"
    }
}
