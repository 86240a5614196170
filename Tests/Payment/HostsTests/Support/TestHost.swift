import Connections
import Determinism
import ISO8583
import Simulator
import Synchronization
import Testing

@testable import Hosts

/// A host in memory, which does what a test says on each connection.
struct TestHost: Sendable {
    let connection: MemoryConnection
    let profile: MessageProfile
    let clock: SimulationClock
    private let codec: MessageCodec
    private let frames: Frames

    /// The frames of a connection, shared by the copies of a host.
    final class Frames: Sendable {
        let reader: Mutex<FrameReader>
        init(_ format: FrameFormat) { reader = Mutex(FrameReader(format)) }
    }

    init(_ connection: MemoryConnection, _ profile: MessageProfile, _ clock: SimulationClock) {
        (self.connection, self.profile, self.clock) = (connection, profile, clock)
        codec = profile.makeCodec()
        frames = Frames(profile.frame)
    }

    /// The next content of a frame; nil at the end.
    func content() async -> FrameReader.Content? {
        while true {
            if let found = try? frames.reader.withLock({ try $0.next() }) { return found }
            guard let bytes = try? await connection.read(upTo: 4096, deadline: .never) else { return nil }
            frames.reader.withLock { $0.feed(bytes) }
        }
    }

    /// The next message; nil at the end.
    func message() async -> ISOMessage? {
        while let content = await content() {
            if case .body(let body) = content { return try? codec.decode(body).message }
        }
        return nil
    }

    /// The frame of an answer.
    func answer(
        to request: ISOMessage, code: String = "00", change: (inout ISOMessage) -> Void = { _ in }
    ) -> [UInt8] {
        var answer = request
        if let type = request.type.answer { answer.type = type }
        answer.set(39, code)
        change(&answer)
        let header = profile.header.answer(to: profile.header.bytes)
        guard let body = try? codec.encode(answer, header: header).bytes else { return [] }
        return profile.frame.frame(body) ?? []
    }

    /// Waits in the time of the world.
    func pause(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

    func write(_ bytes: [UInt8]) async { try? await connection.write(bytes, deadline: .never) }

    /// Approves every request until the end.
    func approveAll() async {
        while let request = await message() { await write(answer(to: request)) }
    }

    /// Accepts the sign-on.
    func signOn() async {
        if let request = await message() { await write(answer(to: request)) }
    }
}

/// Makes connections in memory to hosts of a test. The plan has what happens on each connection, and the last entry
/// goes on.
final class TestConnector: HostConnector {
    enum Plan: Sendable {
        case refuse
        case serve(@Sendable (TestHost) async -> Void)
    }

    let clock: SimulationClock
    private let profile: MessageProfile
    private let plans: Mutex<[Plan]>
    private let tried = Mutex(0)

    init(_ profile: MessageProfile, _ clock: SimulationClock, _ plans: [Plan]) {
        (self.profile, self.clock) = (profile, clock)
        self.plans = Mutex(plans)
    }

    /// How many connections were tried.
    var tries: Int { tried.withLock { $0 } }

    func connect(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection {
        tried.withLock { $0 += 1 }
        let plan = plans.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        guard case .serve(let script) = plan else { throw .timedOut(.connect) }
        let (first, second) = MemoryConnection.pair(time: clock)
        let host = TestHost(second, profile, clock)
        Task { await script(host) }
        return first
    }
}

/// A link, its host, and what the link told.
final class TestWorld: Sendable {
    let clock = SimulationClock()
    let profile: MessageProfile
    private let saleType: MessageType
    let connector: TestConnector
    let link: HostLink
    private let log: Log

    private final class Log: Sendable {
        let events = Mutex<[HostEvent]>([])
    }

    convenience init(
        _ name: String = "iso87-ascii", _ plans: TestConnector.Plan...,
        change: (inout MessageProfile) -> Void = { _ in }
    ) throws {
        try self.init(name, plans: plans, change: change)
    }

    init(_ name: String, plans: [TestConnector.Plan], change: (inout MessageProfile) -> Void) throws {
        var profile = try #require(MessageProfile.shipped(name))
        change(&profile)
        self.profile = profile
        saleType = try #require(MessageType("0200"))
        connector = TestConnector(profile, clock, plans.isEmpty ? [.serve { await $0.approveAll() }] : plans)
        let log = Log()
        self.log = log
        link = HostLink(
            profile, identity: TerminalIdentity(terminal: "TERM0001", merchant: "MERCHANT0000001"),
            connector: connector, traceNumbers: CountedTraceNumbers(profile.limits.stan, from: 1), time: clock,
            random: SeededRandomSource(seed: 1), onEvent: { event in log.events.withLock { $0.append(event) } })
    }

    var events: [HostEvent] { log.events.withLock { $0 } }

    var unmatched: [UnmatchedMessage.Reason] {
        events.compactMap { event in
            guard case .unmatched(let message) = event else { return nil }
            return message.reason
        }
    }

    /// A sale of the profile's 1987 edition with a trace number.
    func sale(_ number: Int) -> ISOMessage {
        var message = ISOMessage(saleType)
        for (field, value) in [
            3: "000000", 4: "000000001250", 7: "0102120000", 11: profile.field11(number), 12: "120000", 13: "0102",
            22: "051", 24: "001", 25: "00", 41: "TERM0001", 42: "MERCHANT0000001", 49: "978",
        ] { message.set(field, value) }
        return message
    }

    /// Sends a sale; the response code, or the failure.
    func pay(_ number: Int, limit: Duration? = nil) async -> Result<String, HostFailure> {
        do throws(HostFailure) {
            return .success(try await link.send(sale(number), as: .sale, limit: limit).text(of: 39) ?? "")
        } catch { return .failure(error) }
    }

    func connect() async -> HostFailure? {
        do throws(HostFailure) { try await link.connect() } catch { return error }
        return nil
    }
}
