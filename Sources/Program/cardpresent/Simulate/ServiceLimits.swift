import Settings
import SimulationServer

/// The limits of `simulate serve`, which a file can have instead of the command line:
///
/// ```yaml
/// sessions: 500
/// idleSeconds: 600
/// copies: 200
/// perToken: { sessions: 50, requestsPerSecond: 20, requestsPerMinute: 600, retainedBytes: 10000000 }
/// ```
struct ServiceLimits: Equatable {
    /// The most sessions at the same time.
    var sessions = 256
    /// The seconds after which an unused session ends.
    var idleSeconds = 1800
    /// The most sessions in memory, with a store.
    var copies = 256
    /// What each token may use, with a store.
    var quota = TokenQuota()

    /// The accepted numbers of sessions.
    static let sessionsRange = 1...100_000
    private static let idleRange = 1...31_536_000
    private static let quotaRange = 1...1_000_000_000_000

    init() {}

    /// Reads a file. What it does not have is the default.
    ///
    /// - Throws: `CommandFailure`
    init(path: String) throws(CommandFailure) {
        do throws(SettingsError) {
            let root = try SettingsDocument(path: path).root.mapping(allowedKeys: [
                "sessions", "idleSeconds", "copies", "perToken",
            ])
            if let node = try root.optional("sessions") { sessions = try node.int(in: Self.sessionsRange) }
            if let node = try root.optional("idleSeconds") { idleSeconds = try node.int(in: Self.idleRange) }
            if let node = try root.optional("copies") { copies = try node.int(in: Self.sessionsRange) }
            if let node = try root.optional("perToken") { quota = try Self.quota(node) }
        } catch {
            var failure = CommandFailure(error)
            failure.code = "malformed_limits"
            throw failure
        }
    }

    private static func quota(_ node: SettingsNode) throws(SettingsError) -> TokenQuota {
        try node.mapping(allowedKeys: ["sessions", "requestsPerSecond", "requestsPerMinute", "retainedBytes"])
        func limit(_ key: String) throws(SettingsError) -> Int? {
            guard let value = try node.optional(key) else { return nil }
            return try value.int(in: quotaRange)
        }
        return TokenQuota(
            sessions: try limit("sessions"), requestsPerSecond: try limit("requestsPerSecond"),
            requestsPerMinute: try limit("requestsPerMinute"), retainedBytes: try limit("retainedBytes"))
    }

    /// Makes them the limits of a service.
    func apply(to configuration: inout SimulationServiceConfiguration) {
        (configuration.sessionsLimit, configuration.idleLimit) = (sessions, .seconds(idleSeconds))
        (configuration.copiesLimit, configuration.quota) = (copies, quota)
    }
}
