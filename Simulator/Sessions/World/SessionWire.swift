import Acquirer
import CardSecrets
import Connections
import Cryptography
import Determinism
import HostSecurity
import Hosts
import ISO8583
import Payments
import Simulator
import Synchronization
import TillConfiguration

/// The way from the till to the issuer in a session with a wire: the acquirer, its server, and the connections of the
/// till's processes. It outlives them, as the issuer does.
final class SessionWire: Sendable {
    private let plan: PlannedWire
    private let terminal: AcquirerTerminal
    private let server: AcquirerServer
    private let faults: AcquirerFaultPlan
    private let names: Names
    private let clock: SimulationClock
    private let random: any RandomSource
    /// The till's key for card data that later messages need.
    private let storageKey: HostKey?

    /// The attempts by what their messages have on the wire, which has no keys.
    private final class Names: Sendable {
        private let keys = Mutex<[AcquirerKey: IdempotencyKey]>([:])

        func note(_ key: AcquirerKey, _ attempt: IdempotencyKey) { keys.withLock { $0[key] = attempt } }

        func attempt(_ key: AcquirerKey) -> IdempotencyKey { keys.withLock { $0[key] } ?? key.issuerKey }
    }

    /// The name of the host in the journal, as in production.
    private static let hostName = "iso8583"

    /// - Throws: `AcquirerSetupError`
    init(
        _ plan: PlannedWire, to issuer: SimulatedIssuer, _ till: TillConfiguration, keys: TestKeys,
        clock: SimulationClock, random: any RandomSource, log: SessionLog
    ) throws(AcquirerSetupError) {
        let names = Names()
        (self.plan, self.names, self.clock, self.random) = (plan, names, clock, random)
        terminal = AcquirerTerminal(till)
        storageKey = try? HostKey(
            HostKeys.storageName, .aes, SensitiveBytes(random.stream("storage key").bytes(AESGCM.keyLength)))
        let acquirer = try SimulatedAcquirer(
            profile: plan.profile, issuer: issuer, keys: keys, time: clock, random: random,
            names: { names.attempt($0) })
        faults = AcquirerFaultPlan(plan.faults, rate: plan.faultRate, random: random.stream("faults"))
        server = AcquirerServer(acquirer, faults: faults) { event in
            if let words = event.words { log.note(.host, words) }
        }
    }

    /// Removes the faults of the acquirer.
    func recover() { faults.clear() }

    /// The host of a process: with a connection of its own, which ends with the process.
    func host(of life: ProcessLife) -> ProcessHost {
        let profile = plan.profile
        let network = TraceNumberPlan(profile).network
        var settings = HostLink.Settings()
        // Simulated hours pass at once, and an echo for each minute of them tells nothing.
        settings.keepsAlive = false
        let link = HostLink(
            profile, identity: terminal.identity,
            connector: ProcessConnector(server: server, life: life, clock: clock),
            traceNumbers: CountedTraceNumbers(network, from: network.lowerBound + life.number % network.count),
            time: clock, random: random.stream("link \(life.number)"), settings: settings)
        life.onEnd { Task { await link.close() } }
        let host = AcquirerHost(
            name: Self.hostName, profile, terminal: terminal, link: link, clock: clock, time: clock,
            sealer: storageKey.map { key in
                CardSealer(profile, random: random.stream("sealer \(life.number)")) {
                    (data: [UInt8]) async throws(KeyUseError) -> [UInt8] in try await key.cmac(of: data)
                }
            })
        return ProcessHost(host: host, life: life) { [names, clock] identity, attempt in
            let now = clock.now()
            let local = now.civil(offsetSeconds: clock.offsetSeconds(at: now))
            names.note(AcquirerKey(identity, profile.version, near: local), attempt)
        }
    }
}

/// Connects a process to the acquirer of its session.
private struct ProcessConnector: HostConnector {
    let server: AcquirerServer
    let life: ProcessLife
    let clock: SimulationClock

    func connect(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection {
        guard life.isAlive else { throw .closed }
        let (near, far) = MemoryConnection.pair(time: clock)
        Task { [server] in await server.serve(far) }
        life.onEnd { near.close() }
        return near
    }
}

extension AcquirerEvent {
    /// The event as the session logs it, without what differs from one attempt to the next; nil for one that is part of
    /// every connection.
    fileprivate var words: String? {
        switch self {
        case .message(let report):
            var words = ["wire", report.type, report.kind ?? "unknown"]
            words += report.response.map { ["answered", $0] } ?? ["unanswered"]
            if report.isRepeat { words.append("repeat") }
            if let fault = report.fault { words.append(fault.rawValue) }
            return words.joined(separator: " ")
        case .malformed: return "wire malformed"
        case .ledgerFailed: return "wire ledger_failed"
        case .connected, .closed: return nil
        }
    }
}
