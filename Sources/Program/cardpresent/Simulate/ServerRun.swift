import HTTPListening
import SimulationServer
import StoreSiteServer
import Synchronization
import TerminalServer

/// A server that a command runs until a signal stops it.
protocol StoppableServer: Sendable {
    /// Stops the server and ends its connections.
    ///
    /// - Parameter limit: How long requests that have arrived may take to be answered. Zero cuts them off.
    func stop(within limit: Duration) async
    /// Waits until the server has stopped.
    func finished() async
}

extension SimulationServer: StoppableServer {}
extension StoreSiteServer: StoppableServer {}
extension TerminalServer: StoppableServer {}
extension ZVTServer: StoppableServer {}
extension NexoServer: StoppableServer {}

/// Runs a server of a command until Ctrl-C or another signal. The first signal lets running requests end, and a second
/// one cuts them off. SIGHUP reads files again instead, unless it is that of a closed terminal.
enum ServerRun {
    /// How long a running request may go on after a signal: less than systemd waits before it kills.
    private static let patience: Duration = .seconds(10)

    /// - Parameters:
    ///   - reload: What SIGHUP reads again.
    ///   - start: Starts the server.
    ///   - onStart: Reports the started server. The server stops when this throws.
    /// - Throws: `CommandFailure`
    static func run<Server: StoppableServer>(
        reloading reload: ServerReload, _ start: () async throws(HTTPListenerError) -> Server,
        onStart: (Server) throws(CommandFailure) -> Void
    ) async throws {
        let (cancellation, signals, terminal) = (Cancellation(), SignalCount(), StartTerminal())
        let (stopped, stopping) = AsyncStream.makeStream(of: Void.self)
        let onHangup: @Sendable () async -> Void = {
            if terminal.isGone { await cancellation.request() } else { reload.run() }
        }
        try await CancellationSignals.watching(untilExit: true, onHangup: onHangup) {
            let server: Server
            do throws(HTTPListenerError) { server = try await start() } catch {
                throw CommandFailure(
                    .unavailable, code: "cannot_listen", message: "\(error)",
                    fix: error.isAboutPort
                        ? "choose another port with --port" : "give an address of this machine with --host")
            }
            await cancellation.onRequest {
                await server.stop(within: signals.next() == 1 ? patience : .zero)
                stopping.finish()
            }
            do throws(CommandFailure) { try onStart(server) } catch {
                await server.stop(within: .zero)
                throw error
            }
            await server.finished()
            // The connections have ended; sessions may still be ending.
            if signals.hasAny { for await _ in stopped {} }
        } onSignal: {
            await cancellation.request()
        }
    }
}

/// Counts the signals of a run.
private final class SignalCount: Sendable {
    private let count = Mutex(0)

    var hasAny: Bool { count.withLock { $0 > 0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
