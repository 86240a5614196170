import Determinism
import SmartCard
import Synchronization
import Testing

@testable import Simulator

struct CardBridgeTests {
    private final class Log<Value: Sendable>: Sendable {
        private let stored = Mutex<[Value]>([])
        var values: [Value] { stored.withLock { $0 } }
        func add(_ value: Value) { stored.withLock { $0.append(value) } }
    }

    /// Time that passes at once, and lets something happen at a chosen wait.
    private final class EventfulTime: TimeSource {
        private let clock = VirtualTimeSource()
        private let onSleep: @Sendable (Int) -> Void
        private let sleeps = Log<Duration>()

        init(onSleep: @escaping @Sendable (Int) -> Void = { _ in }) { self.onSleep = onSleep }

        var durations: [Duration] { sleeps.values }
        func now() -> Timestamp { clock.now() }
        func offsetSeconds(at moment: Timestamp) -> Int { 0 }
        func sleep(for duration: Duration) async throws(CancellationError) {
            sleeps.add(duration)
            onSleep(sleeps.values.count)
            try await clock.sleep(for: duration)
        }
    }

    private let events = Log<BridgeEvent>()
    private let trace = Log<TraceEntry>()

    private func bridge(
        _ kind: BridgeKind, at address: BridgeAddress, card: any SimulatedCard = ScriptedCard(ScriptedCard.t0),
        options: ConnectionOptions = ConnectionOptions(endsWithPeer: true), time: any TimeSource = VirtualTimeSource(),
        cardTime: any TimeSource = VirtualTimeSource()
    ) -> CardBridge {
        CardBridge(
            kind, at: address, card: card, options: options, time: time, cardTime: cardTime,
            trace: TraceRecorder { [trace] in trace.add($0) }, onEvent: { [events] in events.add($0) })
    }

    @Test func `pcscd's virtual reader powers the card and gets responses`() async throws {
        let pcscd = try TestPeer()
        async let serving: Void = bridge(.vpcd, at: pcscd.address).serve()
        try await pcscd.meet { reader in
            try reader.send(hex("0001 04"))
            #expect(try reader.receive(6) == hex("0004 3B600000"))
            try reader.send(hex("0001 01 0001 04"))
            #expect(try reader.receive(6) == hex("0004 3B600000"))
            // Length and message apart, as vpcd sends them.
            try reader.send(hex("0008"))
            try reader.send(hex("00A40400 03 010203"))
            #expect(try reader.receive(4) == hex("0002 6103"))
            try reader.send(hex("0005 00C0000003"))
            #expect(try reader.receive(7) == hex("0005 030201 9000"))
            try reader.send(hex("0001 02 0001 00"))
        }
        try await serving
        #expect(
            events.values == [
                .connected, .reset(answerToReset: ScriptedCard.t0, isWarm: false),
                .command(number: 1, instruction: 0xA4, status: 0x9000),
                .reset(answerToReset: ScriptedCard.t0, isWarm: true), .poweredOff,
                .disconnected(commands: 1, reason: "the peer disconnected"),
            ])
        // The terminal's command and the whole answer, though they went over the line in four parts.
        #expect(trace.values.map(\.command) == ["00A404000301020300"])
    }

    @Test func `QEMU's reader gets the exact bytes of greeting, reader, card, and responses`() async throws {
        let qemu = try TestPeer(at: TestPeer.freePath())
        let serving = Task { [bridge = bridge(.vscard, at: qemu.address)] in try await bridge.serve() }
        let greeting = hex("00000001 FFFFFFFF 0000000C 56534344 00000002 00000000")
        try await qemu.meet { chardev in
            #expect(try chardev.receive(24) == greeting)
            try chardev.send(greeting)
            #expect(try chardev.receive(24) == hex("00000003 FFFFFFFF 0000000C 43617264 50726573 656E7400"))
            try chardev.send(hex("00000002 00000000 00000004 00000000"))
            #expect(try chardev.receive(16) == hex("00000005 00000000 00000004 3B600000"))
            try chardev.send(hex("00000002 00000000 00000004 00000000"))
            try chardev.send(hex("00000007 00000000 00000005 00B0000200"))
            #expect(try chardev.receive(14) == hex("00000007 00000000 00000002 6C02"))
            try chardev.send(hex("00000007 00000000 00000005 00B0000202"))
            #expect(try chardev.receive(16) == hex("00000007 00000000 00000004 0001 9000"))
            try chardev.send(hex("00000008 00000000 00000000"))
            #expect(try chardev.receive(12) == hex("00000009 00000000 00000000"))
            serving.cancel()
            // The card leaves the reader before the connection ends.
            #expect(try chardev.receive(100) == hex("00000006 00000000 00000000"))
        }
        try await serving.value
        #expect(events.values.last == .disconnected(commands: 1, reason: nil))
    }

    @Test func `connecting is retried with growing pauses`() async throws {
        let address = TestPeer.freePath()
        let late = Mutex<TestPeer?>(nil)
        let time = EventfulTime { sleeps in
            if sleeps == 8 { late.withLock { $0 = try? TestPeer(at: address) } }
        }
        async let serving: Void = bridge(.vpcd, at: address, time: time).serve()
        while late.withLock({ $0 == nil }) { await Task.yield() }
        let pcscd = try #require(late.withLock { $0 })
        try await pcscd.meet { reader in
            try reader.send(hex("0001 04"))
            #expect(try reader.receive(6) == hex("0004 3B600000"))
        }
        try await serving
        #expect(time.durations == [50, 100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        #expect(events.values.first == .waiting(reason: "No such file or directory"))
        #expect(events.values.dropFirst().first == .connected)
    }

    @Test func `waiting ends at its limit`() async throws {
        let address = TestPeer.freePath()
        let time = EventfulTime()
        await #expect(throws: BridgeError.unreachable(address, reason: "No such file or directory")) {
            try await bridge(.vpcd, at: address, options: .init(longestWait: .seconds(1)), time: time).serve()
        }
        #expect(time.durations.reduce(.zero, +) == .seconds(1))
    }

    @Test func `after a disconnect the card is back, unpowered`() async throws {
        let pcscd = try TestPeer()
        let card = ScriptedCard(ScriptedCard.t0)
        let serving = Task { [bridge = bridge(.vpcd, at: pcscd.address, card: card, options: .init())] in
            try await bridge.serve()
        }
        for _ in 0..<3 {
            try await pcscd.meet { reader in
                try reader.send(hex("0001 01 0004 00200000"))
                #expect(try reader.receive(4) == hex("0002 9000"))
            }
        }
        serving.cancel()
        try await serving.value
        #expect(
            Array(card.events.prefix(9))
                == Array(repeating: [.coldReset, .command(0x20), .powerOff], count: 3).flatMap(\.self))
        // The last time the bridge may have been closed before it noticed that the peer disconnected.
        for commands in 1...2 {
            #expect(events.values.contains(.disconnected(commands: commands, reason: "the peer disconnected")))
        }
    }

    @Test func `closing a waiting or working bridge ends without an error`() async throws {
        let waiting = Task { [bridge = bridge(.vpcd, at: TestPeer.freePath(), time: SteadyTime())] in
            try await bridge.serve()
        }
        waiting.cancel()
        try await waiting.value

        let pcscd = try TestPeer()
        let working = Task { [bridge = bridge(.vpcd, at: pcscd.address, cardTime: SteadyTime())] in
            try await bridge.serve()
        }
        try await pcscd.meet { reader in
            try reader.send(hex("0001 01 0004 00E0FF00"))
            working.cancel()
            #expect(try reader.receive(100) == [])
        }
        try await working.value
    }

    /// Time in which every wait lasts until its task is canceled.
    private struct SteadyTime: TimeSource {
        func now() -> Timestamp { VirtualTimeSource.standardStart }
        func offsetSeconds(at moment: Timestamp) -> Int { 0 }
        func sleep(for duration: Duration) async throws(CancellationError) {
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw CancellationError() }
        }
    }

    @Test func `a card that takes a minute makes the terminal wait, and no real time passes`()
        async throws
    {
        let pcscd = try TestPeer()
        let cardTime = EventfulTime()
        async let serving: Void = bridge(.vpcd, at: pcscd.address, cardTime: cardTime).serve()
        try await pcscd.meet { reader in
            try reader.send(hex("0001 01 0004 00E03C00"))
            #expect(try reader.receive(4) == hex("0002 9000"))
        }
        try await serving
        #expect(cardTime.durations.reduce(.zero, +) >= .seconds(60))
    }

    @Test func `a card that goes mute is removed from pcscd's reader, and this is reported`() async throws {
        let pcscd = try TestPeer()
        async let serving: Void = bridge(.vpcd, at: pcscd.address).serve()
        try await pcscd.meet { reader in
            try reader.send(hex("0001 01 0004 00EE0000"))
            #expect(try reader.receive(100) == [])
        }
        try await serving
        #expect(events.values.last == .disconnected(commands: 1, reason: "the card does not answer"))
        #expect(trace.values.map(\.outcome) == [.failure(.cardMute)])
    }

    /// Comes out of the reader with its first command.
    private final class LeavingCard: SimulatedCard {
        private let removal: SimulatedCardReply.Removal
        init(_ removal: SimulatedCardReply.Removal) { self.removal = removal }
        func reset(warm: Bool) -> [UInt8] { ScriptedCard.t1 }
        func powerOff() {}
        func process(_ command: CommandAPDU) -> SimulatedCardReply {
            SimulatedCardReply(ResponseAPDU(status: .success), removal: removal)
        }
        func sendsData(header: [UInt8]) -> Bool { false }
    }

    @Test(arguments: [
        (SimulatedCardReply.Removal.beforeAnswer, ""), (.afterAnswer, "00000007 00000000 00000002 9000"),
    ])
    func `a card removed by its profile leaves the reader, after or before its response`(
        removal: SimulatedCardReply.Removal, answer: String
    ) async throws {
        let qemu = try TestPeer(at: TestPeer.freePath())
        async let serving: Void = bridge(.vscard, at: qemu.address, card: LeavingCard(removal)).serve()
        try await qemu.meet { chardev in
            try chardev.send(try chardev.receive(24))
            _ = try chardev.receive(24)
            try chardev.send(hex("00000002 00000000 00000004 00000000"))
            _ = try chardev.receive(12 + ScriptedCard.t1.count)
            try chardev.send(hex("00000007 00000000 00000004 00B20000"))
            #expect(try chardev.receive(100) == hex(answer + "00000006 00000000 00000000"))
        }
        try await serving
        #expect(events.values.last == .disconnected(commands: 1, reason: "the card was removed"))
    }

    @Test func `a peer with another protocol is disconnected`() async throws {
        let server = try TestPeer()
        let serving = Task { [bridge = bridge(.vscard, at: server.address, options: .init())] in
            try await bridge.serve()
        }
        try await server.meet { try $0.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        await #expect(throws: BridgeError.malformed("message type 1213486160 is not in 1...9")) {
            try await serving.value
        }
    }

    @Test func `trace and events contain no card data`() async throws {
        let profile = try CardProfileLibrary.profile("visa-credit")
        let card = try SimulatedEMVCard(profile: profile, random: SeededRandomSource(seed: 1))
        let pcscd = try TestPeer()
        async let serving: Void = bridge(.vpcd, at: pcscd.address, card: card).serve()
        let record = try await pcscd.meet { reader in
            func ask(_ text: String, _ end: UInt8? = nil) throws -> [UInt8] {
                let command = hex(text) + (end.map { [$0] } ?? [])
                try reader.send([UInt8(command.count >> 8), UInt8(command.count & 0xFF)] + command)
                let length = try reader.receive(2)
                return try reader.receive(Int(length[0]) << 8 | Int(length[1]))
            }
            try reader.send(hex("0001 01"))
            _ = try ask("00A40400 07 A0000000031010")
            _ = try ask("80A80000 02 8300")
            _ = try ask("00200080 08 241234FFFFFFFFFF")
            let length = try ask("00B2010C00")
            #expect(length.first == 0x6C)
            return try ask("00B2010C", length[1])
        }
        try await serving
        let pan = hex("4761739001010010")
        #expect(record.firstRange(of: pan) != nil)
        let lines = trace.values.map(\.jsonLine).joined()
        #expect(lines.contains("00B2010C00") && lines.contains("**"))
        for secret in ["4761739001010010", "241234FF"] { #expect(!lines.contains(secret)) }
        #expect(!"\(events.values)".contains("4761"))
    }
}

struct BridgeAddressTests {
    @Test(arguments: [
        ("127.0.0.1:35963", BridgeAddress.tcp(host: "127.0.0.1", port: 35_963)),
        ("localhost:1", .tcp(host: "localhost", port: 1)),
        ("[::1]:65535", .tcp(host: "::1", port: 65_535)),
        ("/run/card.sock", .unix(path: "/run/card.sock")),
        ("./card:1", .unix(path: "./card:1")),
    ])
    func `host with port and path are distinguished, and written as they were parsed`(
        text: String, address: BridgeAddress
    ) {
        #expect(BridgeAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "card", "localhost", "localhost:", "localhost:0", "localhost:65536", ":1", "::1", "[]:1", "a:-1",
    ])
    func `anything else is not an address`(text: String) {
        #expect(BridgeAddress(text) == nil)
    }
}
