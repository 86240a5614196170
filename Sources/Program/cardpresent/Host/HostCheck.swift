import Connections
import Determinism
import Hosts
import ISO8583
import Synchronization

/// Tries the way to a host step by step.
struct HostCheck: Sendable {
    /// A step that succeeded.
    struct Step: Sendable {
        let name: String
        let result: String
        let duration: Duration

        private var milliseconds: String {
            let tenths = Int(duration / .microseconds(100))
            return "\(tenths / 10).\(tenths % 10)"
        }

        var line: String {
            name.padded(to: 10) + "\(milliseconds) ms".padded(toLeft: 21 - max(10, name.count)) + "  \(result)\n"
        }

        var json: JSONObject {
            ["step": name, "result": result, "milliseconds": Double(Int(duration / .microseconds(1))) / 1000]
        }
    }

    let profile: MessageProfile
    let address: TCPAddress
    let tls: TLSClient?
    let identity: TerminalIdentity
    var security: LinkSecurity?
    let wait: Duration
    let time: any TimeSource
    /// The trace of the messages; nil for none.
    var trace: HostTraceFile?

    /// - Parameter tell: called after each step that succeeded.
    /// - Returns: why a step failed; nil when all succeeded.
    func run(_ tell: (Step) -> Void) async -> CommandFailure? {
        do throws(CommandFailure) {
            let connection = WatchedConnection(try await connect(tell))
            defer { connection.close() }
            try await talk(connection, tell)
            return nil
        } catch { return error }
    }

    private func connect(_ tell: (Step) -> Void) async throws(CommandFailure) -> any ByteConnection {
        let deadline = Deadline(after: profile.connectTimeout, on: time)
        let connector: NetworkConnector
        do throws(NetworkConnector.NeedsTLS) {
            connector = try NetworkConnector(address, tls: tls, time: time)
        } catch { throw CommandFailure(.usage, code: "needs_tls", message: "\(error)") }
        do throws(ConnectionFailure) {
            var start = time.reading()
            let plain = try await connector.reach(deadline: deadline)
            tell(Step(name: "connect", result: plain.peer.address, duration: time.elapsed(since: start)))
            guard connector.usesTLS else { return plain }
            start = time.reading()
            let secure = try await connector.secure(plain, deadline: Deadline(after: profile.connectTimeout, on: time))
            tell(Step(name: "TLS", result: "\(secure.peer)", duration: time.elapsed(since: start)))
            return secure
        } catch { throw HostAdvice.failure(error, address, "connect") }
    }

    private func talk(_ connection: WatchedConnection, _ tell: (Step) -> Void) async throws(CommandFailure) {
        let events = EventLog()
        // A new number for each second, so that the checks of a day have numbers of their own, and none of payments.
        let numbers = TraceNumberPlan(profile).network
        let first = numbers.lowerBound + Int(time.now().milliseconds / 1000) % numbers.count
        var settings = HostLink.Settings()
        settings.networkAnswer = wait
        settings.onMessage = trace?.observer
        // A step of its own.
        settings.exchangesKeysOnSignOn = false
        let link = HostLink(
            profile, identity: identity, connector: MadeConnection(connection: connection),
            traceNumbers: CountedTraceNumbers(numbers, from: first), time: time,
            random: SystemRandomSource(), settings: settings, security: security
        ) { events.add($0) }
        let advice = HostAdvice(
            profile: profile, address: address, connection: connection, events: events,
            hasAllKeys: security?.hasAllKeys == true)
        var step = "sign-on"
        do throws(HostFailure) {
            var start = time.reading()
            try await link.connect()
            if profile.messages[.signOn] != nil {
                tell(Step(name: step, result: "accepted", duration: time.elapsed(since: start)))
            }
            if security?.exchangesKeys == true {
                step = "key exchange"
                start = time.reading()
                try await link.exchangeKeys()
                tell(Step(name: step, result: "new keys", duration: time.elapsed(since: start)))
            }
            guard profile.messages[.echo] != nil else { return await link.close() }
            step = "echo"
            start = time.reading()
            let code = try await link.echo().text(of: 39) ?? ""
            let meaning = profile.results.meaning(of: code).map { " (\($0))" } ?? ""
            tell(Step(name: step, result: "answered \(code)\(meaning)", duration: time.elapsed(since: start)))
            await link.close()
        } catch {
            await link.close()
            throw advice.failure(error.problem, step)
        }
    }
}

/// The events of a link.
final class EventLog: Sendable {
    private let events = Mutex<[HostEvent]>([])

    func add(_ event: HostEvent) { events.withLock { $0.append(event) } }

    var all: [HostEvent] { events.withLock { $0 } }
}

/// A connection that is made already.
private struct MadeConnection: HostConnector {
    let connection: any ByteConnection

    func connect(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection { connection }
}

/// A connection that keeps the first bytes of the host, to tell which profile they fit.
final class WatchedConnection: ByteConnection {
    private static let kept = 4096
    private let base: any ByteConnection
    private let seen = Mutex<[UInt8]>([])

    init(_ base: any ByteConnection) { self.base = base }

    /// The first bytes that came.
    var firstBytes: [UInt8] { seen.withLock { $0 } }

    var peer: ConnectionPeer { base.peer }

    func read(upTo limit: Int, deadline: Deadline) async throws(ConnectionFailure) -> [UInt8]? {
        let bytes = try await base.read(upTo: limit, deadline: deadline)
        if let bytes { seen.withLock { $0 += bytes.prefix(max(0, Self.kept - $0.count)) } }
        return bytes
    }

    func write(_ bytes: [UInt8], deadline: Deadline) async throws(WriteFailure) {
        try await base.write(bytes, deadline: deadline)
    }

    func close(sending last: [UInt8]) { base.close(sending: last) }

    func reset() { base.reset() }
}
