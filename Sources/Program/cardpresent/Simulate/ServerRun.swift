internal import HTTPListening
internal import SimulationServer
internal import StoreSiteServer

/// A server that a command runs until a signal stops it.
protocol StoppableServer: Sendable {
    /// Stops the server and ends its connections.
    func stop() async
    /// Waits until the server has stopped.
    func finished() async
}

extension SimulationServer: StoppableServer {}
extension StoreSiteServer: StoppableServer {}

/// Runs a server of a command until Ctrl-C or another signal.
enum ServerRun {
    /// - Parameters:
    ///   - start: Starts the server.
    ///   - onStart: Reports the started server. The server stops when this throws.
    /// - Throws: `CommandFailure`
    static func run<Server: StoppableServer>(
        _ start: () async throws(HTTPListenerError) -> Server, onStart: (Server) throws(CommandFailure) -> Void
    ) async throws {
        let cancellation = Cancellation()
        try await CancellationSignals.watching {
            let server: Server
            do throws(HTTPListenerError) { server = try await start() } catch {
                throw CommandFailure(
                    .unavailable, code: "cannot_listen", message: "\(error)", fix: "choose another port with --port")
            }
            await cancellation.onRequest { await server.stop() }
            do throws(CommandFailure) { try onStart(server) } catch {
                await server.stop()
                throw error
            }
            await server.finished()
        } onSignal: {
            await cancellation.request()
        }
    }
}
