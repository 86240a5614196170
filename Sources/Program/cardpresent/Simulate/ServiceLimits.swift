import Settings
import SimulationServer

/// The limits of `simulate serve`, which a file can have instead of the command line:
///
/// ```yaml
/// sessions: 500
/// idleSeconds: 600
/// ```
struct ServiceLimits: Equatable {
    /// The most sessions at the same time.
    var sessions = 256
    /// The seconds after which an unused session ends.
    var idleSeconds = 1800

    /// The accepted numbers of sessions.
    static let sessionsRange = 1...100_000
    private static let idleRange = 1...31_536_000

    init() {}

    /// Reads a file. What it does not have is the default.
    ///
    /// - Throws: `CommandFailure`
    init(path: String) throws(CommandFailure) {
        do throws(SettingsError) {
            let root = try SettingsDocument(path: path).root.mapping(allowedKeys: ["sessions", "idleSeconds"])
            if let node = try root.optional("sessions") { sessions = try node.int(in: Self.sessionsRange) }
            if let node = try root.optional("idleSeconds") { idleSeconds = try node.int(in: Self.idleRange) }
        } catch {
            var failure = CommandFailure(error)
            failure.code = "malformed_limits"
            throw failure
        }
    }

    /// Makes them the limits of a service.
    func apply(to configuration: inout SimulationServiceConfiguration) {
        (configuration.sessionsLimit, configuration.idleLimit) = (sessions, .seconds(idleSeconds))
    }
}
