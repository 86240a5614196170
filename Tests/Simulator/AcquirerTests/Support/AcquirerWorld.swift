import CardSecrets
import Connections
import Determinism
import HostSecurity
import ISO8583
import Simulator
import Synchronization
import Testing

@testable import Acquirer

/// A simulated acquirer with its server, and what it told. Its time is that of the test.
final class AcquirerWorld: Sendable {
    let clock: SimulationClock
    let profile: MessageProfile
    let cards: TestCards
    let acquirer: SimulatedAcquirer
    let faults: AcquirerFaultPlan
    private let server: AcquirerServer
    private let log: Log

    private final class Log: Sendable {
        let events = Mutex<[AcquirerEvent]>([])
    }

    init(
        _ name: String = "iso87-ascii", hostKeys: HostKeys? = nil, rules: IssuerRules = IssuerRules(),
        ledger: AcquirerLedger = AcquirerLedger(),
        faults: [AcquirerFault] = [], rate: Double = 0, seed: UInt64 = 1, limits: AcquirerLimits = AcquirerLimits(),
        change: (inout MessageProfile) -> Void = { _ in }
    ) throws {
        var profile = try #require(MessageProfile.shipped(name))
        change(&profile)
        (self.profile, clock) = (profile, SimulationClock())
        let keys = try TestKeys.embedded()
        cards = TestCards(keys: keys)
        let random = SeededRandomSource(seed: seed)
        acquirer = try SimulatedAcquirer(
            profile: profile, hostKeys: hostKeys, ledger: ledger, rules: rules, keys: keys, time: clock, random: random)
        self.faults = AcquirerFaultPlan(faults, rate: rate, random: random.stream("faults"))
        let log = Log()
        self.log = log
        server = AcquirerServer(acquirer, faults: self.faults, limits: limits) { event in
            log.events.withLock { $0.append(event) }
        }
    }

    var events: [AcquirerEvent] { log.events.withLock { $0 } }

    var reports: [AcquirerReport] {
        events.compactMap { event in
            guard case .message(let report) = event else { return nil }
            return report
        }
    }

    /// Why connections ended.
    var ends: [String] {
        events.compactMap { event in
            guard case .closed(_, let reason) = event else { return nil }
            return reason
        }
    }

    /// A client on a connection of its own.
    func client() -> AcquirerClient {
        let (first, second) = MemoryConnection.pair(time: clock)
        Task { [server] in await server.serve(second) }
        return AcquirerClient(first, profile, clock)
    }

    /// The states of the records, with what they move.
    func book() async -> [String] {
        await acquirer.records.map { "\($0.kind.rawValue) \($0.state.rawValue) \($0.moved)" }
    }
}

/// A client of a profile that does not use the connection of the till.
struct AcquirerClient: Sendable {
    let connection: MemoryConnection
    let profile: MessageProfile
    let clock: SimulationClock
    private let codec: MessageCodec
    private let frames: Frames

    private final class Frames: Sendable {
        let reader: Mutex<FrameReader>
        init(_ format: FrameFormat) { reader = Mutex(FrameReader(format)) }
    }

    init(_ connection: MemoryConnection, _ profile: MessageProfile, _ clock: SimulationClock) {
        (self.connection, self.profile, self.clock) = (connection, profile, clock)
        codec = profile.makeCodec()
        frames = Frames(profile.frame)
    }

    func frame(_ message: ISOMessage) throws -> [UInt8] {
        try #require(profile.frame.frame(try codec.encode(message).bytes))
    }

    func write(_ bytes: [UInt8]) async throws { try await connection.write(bytes, deadline: .never) }

    func send(_ message: ISOMessage) async throws { try await write(try frame(message)) }

    /// The next content of a frame; nil at the end, or after half a minute without one.
    func content(within limit: Duration = .seconds(30)) async throws -> FrameReader.Content? {
        let deadline = Deadline(after: limit, on: clock)
        while true {
            if let found = try frames.reader.withLock({ try $0.next() }) { return found }
            guard let bytes = try? await connection.read(upTo: 4096, deadline: deadline) else { return nil }
            frames.reader.withLock { $0.feed(bytes) }
        }
    }

    /// The next message; nil without one.
    func receive(within limit: Duration = .seconds(30)) async throws -> ISOMessage? {
        guard case .body(let body) = try await content(within: limit) else { return nil }
        return try codec.decode(body).message
    }

    /// Sends a message, and waits for its answer.
    func ask(_ message: ISOMessage) async throws -> ISOMessage {
        try await send(message)
        return try #require(try await receive())
    }

    /// The response code of a message.
    func code(_ message: ISOMessage) async throws -> String? { try await ask(message).text(of: 39) }
}

extension AcquirerWorld {
    /// A message of the profile with its mandatory fields.
    func message(
        _ kind: MessageKind, _ number: Int, amount: Int = 1250, terminal: String = "TERM0001",
        change: (inout ISOMessage) throws -> Void = { _ in }
    ) throws -> ISOMessage {
        let form = try #require(profile.messages[kind])
        var message = ISOMessage(form.type)
        let year: String =
            switch profile.version {
            case .v1987: ""
            case .v1993: "260102"
            case .v2003: "20260102"
            }
        var values: [Int: String] = [
            4: self.amount(amount), 7: "0102120000", 11: text(number, 11), 12: year + "120000", 22: "901", 24: "001",
            25: "00", 26: "5411", 41: terminal, 42: "MERCHANT0000001", 49: "840", 50: "840", 97: "D0000000000000000",
        ]
        if profile.version == .v1987 {
            values[13] = "0102"
        } else {
            (values[22], values[25]) = ("000000000000", "4000")
        }
        values[3] = form.processing.flatMap { profile.values.processing[$0] } ?? "000000"
        if let function = form.function { values[24] = function }
        if let code = form.code { values[70] = code }
        for field in 74...77 { values[field] = text(0, field) }
        for field in 86...89 { values[field] = text(0, field) }
        if kind == .reversal || kind == .offlineAdvice || kind == .declineAdvice { values[39] = text(0, 39) }
        for field in form.mandatory {
            if profile.table[field]?.attribute == .b {
                message.set(field, bytes: [UInt8](repeating: 0, count: profile.table[field]?.length.maximum ?? 0))
            } else if let value = values[field] {
                message.set(field, padded(value, field))
            }
        }
        try change(&message)
        return message
    }

    private func amount(_ minorUnits: Int) -> String {
        let digits = text(minorUnits, 4).suffix(12)
        return profile.version == .v2003 ? "8402" + digits : String(digits)
    }

    private func text(_ number: Int, _ field: Int) -> String {
        let digits = "\(number)"
        let count = profile.table[field]?.length.maximum ?? digits.count
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private func padded(_ value: String, _ field: Int) -> String {
        guard case .fixed(let length) = profile.table[field]?.length, [41, 42].contains(field) else { return value }
        return value + String(repeating: " ", count: max(0, length - value.count))
    }

    /// A sale by the stripe of a simulated card.
    func sale(
        _ number: Int, amount: Int = 1250, card: String = "stripe-only", as kind: MessageKind = .sale,
        terminal: String = "TERM0001"
    ) throws -> ISOMessage {
        try message(kind, number, amount: amount, terminal: terminal) { message in
            message.set(35, secret: try cards.track(card))
        }
    }

    /// Names the original of a message: field 90, or 56.
    func refer(_ message: inout ISOMessage, to original: ISOMessage) throws {
        let number = original.text(of: 11) ?? ""
        switch profile.matching.originalData {
        case .field90:
            let data = OriginalData(type: original.type, traceNumber: number, time: original.text(of: 7) ?? "")
            message.set(90, try #require(data.field90))
        case .field56:
            let data = OriginalData(type: original.type, traceNumber: number, time: original.text(of: 12) ?? "")
            message.set(56, try #require(data.field56(profile.version)))
        case .none: break
        }
    }

    /// A message about an earlier one, whose answer has the reference.
    func message(
        _ kind: MessageKind, _ number: Int, amount: Int = 1250, about original: ISOMessage, answered answer: ISOMessage
    ) throws -> ISOMessage {
        try message(kind, number, amount: amount) { message in
            for field in [37, 38] where profile.messages[kind]?.mandatory.contains(field) == true {
                message.set(field, answer.text(of: field) ?? "")
            }
            try refer(&message, to: original)
        }
    }

    /// The reversal of a message.
    func reversal(of original: ISOMessage, _ number: Int) throws -> ISOMessage {
        let isOriginal = profile.matching.stanOfReversal == .original
        return try message(
            .reversal, isOriginal ? Int(original.text(of: 11) ?? "") ?? 0 : number,
            amount: Int(original.text(of: 4)?.suffix(12) ?? "") ?? 0
        ) { try refer(&$0, to: original) }
    }
}

extension ISOMessage {
    /// The same message as a repeat.
    var repeated: ISOMessage {
        var message = self
        message.type = type.repeated
        return message
    }
}
