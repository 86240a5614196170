import Determinism
import HTTPListening
import SimulationServer
import Simulator
import StripeTerminal
import TerminalServer

/// The servers of `simulate serve`: its own one, and one for each protocol of tills.
final class ServedTills: StoppableServer {
    private let server: SimulationServer
    /// The terminals of each protocol.
    private let terminals: [TerminalServer]

    /// The address of the console and the control API.
    var address: String { server.address }
    /// The address for tills that speak a protocol compatible with Stripe Terminal; nil for none.
    let stripe: String?

    private init(_ server: SimulationServer, terminals: [TerminalServer], stripe: String?) {
        (self.server, self.terminals, self.stripe) = (server, terminals, stripe)
    }

    /// Starts the servers for tills beside a started one. They are reachable from this machine only: test keys are no
    /// secrets.
    ///
    /// - Parameters:
    ///   - server: the started server.
    ///   - service: has the sessions of the readers.
    ///   - stripe: the port of the protocol; nil for none.
    ///   - time: the wall clock.
    /// - Returns: the servers.
    /// - Throws: `HTTPListenerError`; all servers have ended then.
    static func start(
        _ server: SimulationServer, _ service: SimulationService, stripe: Int?, time: any TimeSource
    ) async throws(HTTPListenerError) -> ServedTills {
        guard let stripe else { return ServedTills(server, terminals: [], stripe: nil) }
        let readers = TerminalCounters.steered(start: VirtualTimeSource.standardStart) { number, start in
            SteeredCounter(service, seed: number &+ 1, start: start)
        }
        do throws(HTTPListenerError) {
            let terminal = try await TerminalServer.start(
                .steered, readers, random: SeededRandomSource(seed: 1), host: "127.0.0.1", port: stripe, time: time)
            return ServedTills(server, terminals: [terminal], stripe: terminal.address)
        } catch {
            await server.stop()
            throw error
        }
    }

    func stop(within limit: Duration) async {
        // A payment that waits for a person ends with its session, and so do the requests that wait for it.
        await server.stop(within: limit)
        for terminal in terminals { await terminal.stop() }
    }

    func finished() async { await server.finished() }
}
