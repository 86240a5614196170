import Connections
import Determinism
import HTTPListening
import NexoTerminal
import Sessions
import SimulationServer
import Simulator
import StripeTerminal
import Terminal
import TerminalServer

/// The servers of `simulate serve`: its own one, and one for each protocol of tills.
final class ServedTills: StoppableServer {
    /// The protocols that are served, and where; nil for those that are not.
    struct Choice: Sendable {
        /// The terminals of a protocol compatible with Adyen's Terminal API.
        struct Nexo: Sendable {
            /// The names of the terminals, and their key.
            let options: NexoTerminalOptions
            /// The port without TLS.
            let port: Int
            let security: NexoServer.Security
        }

        var stripe: Int?
        var nexo: Nexo?
        var zvt: Int?
        /// Gets the receipts of the ZVT terminal's own printer.
        var onPrint: @Sendable (TerminalReceipt) -> Void = { _ in }
    }

    /// Where tills find their terminals; nil for protocols that are not served.
    struct Addresses: Sendable {
        /// The base address of a protocol compatible with Stripe Terminal.
        var stripe: String?
        /// The base addresses with TLS and without, of one compatible with Adyen's Terminal API.
        var nexo: (secure: String, plain: String)?
        /// `HOST:PORT` of the ZVT terminal.
        var zvt: String?
    }

    private let server: SimulationServer
    /// The terminals of each protocol.
    private let terminals: [any StoppableServer]

    /// The address of the console and the control API.
    var address: String { server.address }
    /// Where tills find their terminals.
    let tills: Addresses

    private init(_ server: SimulationServer, _ terminals: [any StoppableServer], _ tills: Addresses) {
        (self.server, self.terminals, self.tills) = (server, terminals, tills)
    }

    /// Test keys are no secrets: the terminals are reachable from this machine only.
    private static let host = "127.0.0.1"

    /// Starts the servers for tills beside a started one.
    ///
    /// - Parameters:
    ///   - server: the started server.
    ///   - service: has the sessions of the readers.
    ///   - choice: the protocols.
    ///   - time: the wall clock.
    /// - Returns: the servers.
    /// - Throws: `HTTPListenerError`; all servers have ended then.
    static func start(
        _ server: SimulationServer, _ service: SimulationService, _ choice: Choice, time: any TimeSource
    ) async throws(HTTPListenerError) -> ServedTills {
        var (terminals, tills): ([any StoppableServer], Addresses) = ([], Addresses())
        do throws(HTTPListenerError) {
            if let port = choice.stripe {
                let terminal = try await TerminalServer.start(
                    .steered, readers(service), random: SeededRandomSource(seed: 1), host: host, port: port,
                    time: time)
                terminals.append(terminal)
                tills.stripe = terminal.address
            }
            if let nexo = choice.nexo {
                let terminal = try await start(nexo, service, time)
                terminals.append(terminal)
                tills.nexo = ("https://\(host):\(terminal.securePort ?? 0)", terminal.address)
            }
            if let port = choice.zvt {
                let terminal = try await start(zvt: port, service, time, choice.onPrint)
                terminals.append(terminal)
                tills.zvt = terminal.address
            }
            return ServedTills(server, terminals, tills)
        } catch {
            for terminal in terminals { await terminal.stop(within: .zero) }
            await server.stop()
            throw error
        }
    }

    // Each protocol's sessions have seeds of their own.

    private static func readers(_ service: SimulationService) -> TerminalCounters {
        TerminalCounters.steered(start: VirtualTimeSource.standardStart) { number, start in
            var plan = SessionPlan(cards: (try? TestCards.planned()) ?? [], seed: number &+ 1)
            if let rules = try? TestCards.rules() { plan.issuerRules = rules }
            plan.start = start
            return SteeredCounter(service, plan)
        }
    }

    private static func start(
        _ nexo: Choice.Nexo, _ service: SimulationService, _ time: any TimeSource
    ) async throws(HTTPListenerError) -> NexoServer {
        var options = nexo.options
        options.isByHand = true
        return try await NexoServer.start(
            options, seed: 1, host: host, port: nexo.port, security: nexo.security, time: time,
            counters: { number, start in
                (try? NexoTestCards.plan(seed: number &+ 2_000_001, start: start)).map { SteeredCounter(service, $0) }
            })
    }

    private static func start(
        zvt port: Int, _ service: SimulationService, _ time: any TimeSource,
        _ onPrint: @escaping @Sendable (TerminalReceipt) -> Void
    ) async throws(HTTPListenerError) -> ZVTServer {
        let start = VirtualTimeSource.standardStart
        let plan: SessionPlan
        do throws(SimulatedSessionError) { plan = try ZVTTestAmount.plan(seed: 3_000_001, start: start) } catch {
            throw HTTPListenerError(host: host, port: port, reason: "\(error)")
        }
        let counter = SteeredCounter(service, plan, givesReceipts: true)
        return try await ZVTServer.start(counter, host: host, port: port, time: time, start: start, onPrint: onPrint)
    }

    func stop(within limit: Duration) async {
        // A payment that waits for a person ends with its session, and so do the requests that wait for it.
        await server.stop(within: limit)
        for terminal in terminals { await terminal.stop(within: .zero) }
    }

    func finished() async { await server.finished() }
}
