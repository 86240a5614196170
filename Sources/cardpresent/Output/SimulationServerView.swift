internal import SimulationServer

/// What `simulate serve` tells when it has begun.
struct SimulationServerView: Encodable, Sendable {
    var address: String
    var console: String
    var openapi: String
    var sessionsLimit: Int
    /// A path: tokens are never printed.
    var tokenFile: String?

    init(_ server: SimulationServer, sessionsLimit: Int, tokenFile: String?) {
        (address, console, openapi) = (server.address, server.address + "/", server.address + "/openapi.json")
        (self.sessionsLimit, self.tokenFile) = (sessionsLimit, tokenFile)
    }
}
