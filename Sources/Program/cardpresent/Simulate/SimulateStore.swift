import ArgumentParser
import Determinism
import HTTPListening
import Monitoring
import StoreSite
import StoreSiteServer

/// `simulate store`
struct SimulateStore: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Serve a simulated WooCommerce store and WordPress.com.",
        discussion: """
            EXAMPLES:
              cardpresent simulate store
              cardpresent simulate store --orders 500 --fault 'GET every:3 503:2'

            Prints its address and the password file, and runs until Ctrl-C or SIGTERM. SIGHUP reads the files of its \
            password, token, and consumer key again. Sign in with 'cardpresent login'; other \
            programs use the consumer key. For its features and faults, see docs/simulate-store.md.
            """)

    @Option(help: ArgumentHelp("Port to listen on; 0 picks a free port.", valueName: "port"))
    var port = 8181
    @Option(help: .listening) var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "Random seed of the store. The same seed and --now give the same store.", valueName: "number"))
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Initial number of orders.", valueName: "count"))
    var orders = 50
    @Option(help: ArgumentHelp("User name of the store owner.", valueName: "name"))
    var username = "shopkeeper"
    @Option(help: .created("the owner's password on one line", standard: "password"), completion: .file())
    var passwordFile: String?
    @Option(help: .created("the owner's WordPress.com token", standard: "token"), completion: .file())
    var tokenFile: String?
    @Option(
        help: .created("a consumer key and its secret, joined by a colon", standard: "consumer-key"),
        completion: .file())
    var consumerKeyFile: String?
    @Option(
        help: ArgumentHelp(
            "Time at the store when it starts, for example 2026-01-02T12:00:00Z. Default: now.", valueName: "time"),
        transform: Self.moment)
    var now: Timestamp?
    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "Fault to inject: [METHOD] [/PATH] [WHEN] FAULT. Can be repeated.",
            discussion: "For example 'POST /wc/v3/orders/* #1 lost-answer' or 'GET every:3 503:2'.", valueName: "rule"),
        transform: Self.rule)
    var faults: [FaultRule] = []
    @Flag(help: "Add the Stripe extension beside WooPayments, so that the till must choose a gateway.")
    var stripe = false
    @Flag(
        inversion: .prefixedNo,
        help: "Install WooPayments. A till completes the orders of a store without a gateway itself.")
    var woopayments = true
    @OptionGroup var log: LogOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(port, in: 0...65_535, "--port")
        try check(orders, in: 0...200_000, "--orders")
        guard !username.isEmpty, username.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") })
        else { throw ValidationError("--username must be a word of ASCII letters and digits") }
    }

    private static func moment(_ text: String) throws -> Timestamp {
        guard let moment = Timestamp(text) else {
            throw ValidationError("'\(text)' is not a time such as 2026-01-02T12:00:00Z")
        }
        return moment
    }

    private static func rule(_ text: String) throws -> FaultRule {
        do throws(FaultRuleError) { return try FaultRule(text) } catch { throw ValidationError("\(error)") }
    }

    func execute() async throws {
        let secrets = try readSecrets()
        let (system, log) = (SystemTimeSource(), try log.open())
        var configuration = StoreSiteConfiguration(
            address: "http://\(host):\(port)", orders: orders, username: username,
            password: SitePassword(secrets.password.secret), token: SitePassword(secrets.token.secret),
            hasStripe: stripe, consumerKeys: secrets.keys)
        configuration.hasWooPayments = woopayments
        let site = StoreSite(
            configuration,
            time: now.map { ShiftedTimeSource(startingAt: $0) } ?? system, random: SeededRandomSource(seed: seed))
        for fault in faults { site.add(fault) }
        let isVerbose = output.verbose
        let onAnswer: @Sendable (SiteAnswer) -> Void = { answer in
            log?.write(Self.logLine(answer, at: system.now()))
            if isVerbose { StandardError.write(Self.line(answer)) }
        }
        let reread: @Sendable () throws(CommandFailure) -> Void = {
            let secrets = try readSecrets()
            site.replaceSecrets(
                password: SitePassword(secrets.password.secret), token: SitePassword(secrets.token.secret),
                consumerKeys: secrets.keys)
        }
        let reload = ServerReload([("secrets", reread)], log: log, time: system)
        try await ServerRun.run(reloading: reload) { () async throws(HTTPListenerError) in
            try await StoreSiteServer.start(site, host: host, port: port, time: system, onAnswer: onAnswer)
        } onStart: { server throws(CommandFailure) in
            try tell(
                server.address, site, passwordFile: secrets.password.path, tokenFile: secrets.token.path,
                consumerKeyFile: secrets.consumerKey.path)
        }
    }

    /// The files of the store's secrets.
    private struct Secrets {
        let password: StoreSecretFile
        let token: StoreSecretFile
        let consumerKey: StoreSecretFile

        var keys: [ConsumerKey] {
            let parts = consumerKey.secret.split(separator: ":", maxSplits: 1).map(String.init)
            return [ConsumerKey(key: parts.first ?? "", secret: SitePassword(parts.last ?? ""))]
        }
    }

    /// Reads the secrets; those without a file get one.
    private func readSecrets() throws(CommandFailure) -> Secrets {
        let random = SystemRandomSource()
        return Secrets(
            password: try StoreSecretFile(passwordFile, named: "password", random: random),
            token: try StoreSecretFile(tokenFile, named: "token", random: random),
            consumerKey: try StoreSecretFile(
                consumerKeyFile, named: "consumer-key", form: .consumerKey, random: random))
    }

    /// Writes the address of the started server. Password and token are never printed.
    private func tell(
        _ address: String, _ site: StoreSite, passwordFile: String, tokenFile: String, consumerKeyFile: String
    ) throws(CommandFailure) {
        // The sites with and without WooCommerce.
        let (siteID, blogID) = (site.siteIDs.first ?? 0, site.siteIDs.last ?? 0)
        let control = address + "/_simulator"
        let json: JSONObject = [
            "address": address, "siteID": siteID, "blogID": blogID, "username": username,
            "passwordFile": passwordFile, "tokenFile": tokenFile, "consumerKeyFile": consumerKeyFile,
            "control": control,
        ]
        try output.write(
            json,
            text: """
                Store at \(address)
                  site                 \(siteID) with WooCommerce, \(blogID) without at \(address)/blog
                  user name            \(username)
                  password             in \(passwordFile)
                  WordPress.com token  in \(tokenFile)
                  consumer key         in \(consumerKeyFile)
                  control              \(control)

                """)
    }

    /// Returns the line of a structured log: the request's number instead of its path, which a client chooses.
    private static func logLine(_ answer: SiteAnswer, at moment: Timestamp) -> LogLine {
        let seen = answer.seen
        let level: LogLevel = seen.status >= 500 || seen.status == 0 ? .error : seen.status >= 400 ? .warning : .info
        let method = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].contains(seen.method)
        return LogLine(
            "request", level, at: moment,
            [
                ("id", .word("r\(seen.number)")), ("method", .word(method ? seen.method : "other")),
                ("route", .word(seen.routeName)), ("status", .number(Int64(seen.status))),
                ("bytes", .number(Int64(answer.response.body.count))),
                ("fault", .word(seen.fault == nil ? "no" : "yes")),
            ])
    }

    /// Returns the log line of a request and its response, without secrets and contents.
    private static func line(_ answer: SiteAnswer) -> String {
        let seen = answer.seen
        let place = seen.route.map { "\($0) (\(seen.path))" } ?? seen.path
        let status = seen.status == 0 ? "no response" : "\(seen.status), \(answer.response.body.count) bytes"
        return "\(seen.method) \(place): \(status)\(seen.fault.map { ", fault: \($0)" } ?? "")\n"
    }
}

/// The system clock with another start time.
struct ShiftedTimeSource: TimeSource {
    private let system = SystemTimeSource()
    private let shift: Duration

    /// Creates a clock that starts at `moment`.
    init(startingAt moment: Timestamp) {
        shift = .milliseconds(moment.milliseconds - SystemTimeSource().now().milliseconds)
    }

    func now() -> Timestamp { system.now().advanced(by: shift) }

    func reading() -> Duration { system.reading() }

    func offsetSeconds(at moment: Timestamp) -> Int { system.offsetSeconds(at: moment) }

    func sleep(for duration: Duration) async throws(CancellationError) { try await system.sleep(for: duration) }
}

extension ArgumentHelp {
    /// The help of a file with a secret, whose name in the data directory is `standard`.
    fileprivate static func created(_ content: String, standard: String) -> ArgumentHelp {
        ArgumentHelp(
            "File with \(content). It is created if it does not exist.",
            discussion: "Default: simulated-store/\(standard) in the data directory.", valueName: "file")
    }
}
