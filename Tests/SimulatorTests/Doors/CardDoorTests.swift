import Determinism
import SmartCard
import Synchronization
import Testing

@testable import Simulator

struct CardDoorTests {
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

    private let events = Log<DoorEvent>()
    private let trace = Log<TraceEntry>()

    private func door(
        _ kind: DoorKind, at address: DoorAddress, card: any SimulatedCard = ScriptedCard(ScriptedCard.t0),
        stay: DoorStay = DoorStay(endsWithPeer: true), time: any TimeSource = VirtualTimeSource(),
        cardTime: any TimeSource = VirtualTimeSource()
    ) -> CardDoor {
        CardDoor(
            kind, at: address, card: card, stay: stay, time: time, cardTime: cardTime,
            trace: TraceRecorder { [trace] in trace.add($0) }, onEvent: { [events] in events.add($0) })
    }

    @Test func `pcscd's virtual reader finds the card, powers it and has commands answered`() async throws {
        let pcscd = try FarSide()
        async let serving: Void = door(.vpcd, at: pcscd.address).serve()
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
                .disconnected(commands: 1, reason: "the other side is gone"),
            ])
        // The terminal's command and the whole answer, though they went over the line in four parts.
        #expect(trace.values.map(\.command) == ["00A404000301020300"])
    }

    @Test func `QEMU's reader gets greeting, reader, card and answers, byte for byte`() async throws {
        let qemu = try FarSide(at: FarSide.freePath())
        let serving = Task { [door = door(.vscard, at: qemu.address)] in try await door.serve() }
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

    @Test func `nobody there is tried again, ever more rarely`() async throws {
        let address = FarSide.freePath()
        let late = Mutex<FarSide?>(nil)
        let time = EventfulTime { sleeps in
            if sleeps == 8 { late.withLock { $0 = try? FarSide(at: address) } }
        }
        async let serving: Void = door(.vpcd, at: address, time: time).serve()
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

    @Test func `waiting ends when it was to end`() async throws {
        let address = FarSide.freePath()
        let time = EventfulTime()
        await #expect(throws: DoorError.unreachable(address, reason: "No such file or directory")) {
            try await door(.vpcd, at: address, stay: .init(longestWait: .seconds(1)), time: time).serve()
        }
        #expect(time.durations.reduce(.zero, +) == .seconds(1))
    }

    @Test func `the card comes back after the other side went away, without power in between`() async throws {
        let pcscd = try FarSide()
        let card = ScriptedCard(ScriptedCard.t0)
        let serving = Task { [door = door(.vpcd, at: pcscd.address, card: card, stay: .init())] in
            try await door.serve()
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
        // The last time the door may have been closed before it heard that the other side was gone.
        for commands in 1...2 {
            #expect(events.values.contains(.disconnected(commands: commands, reason: "the other side is gone")))
        }
    }

    @Test func `a door that is closed while it waits or works ends without an error`() async throws {
        let waiting = Task { [door = door(.vpcd, at: FarSide.freePath(), time: SteadyTime())] in try await door.serve()
        }
        waiting.cancel()
        try await waiting.value

        let pcscd = try FarSide()
        let working = Task { [door = door(.vpcd, at: pcscd.address, cardTime: SteadyTime())] in try await door.serve() }
        try await pcscd.meet { reader in
            try reader.send(hex("0001 01 0004 00E0FF00"))
            working.cancel()
            #expect(try reader.receive(100) == [])
        }
        try await working.value
    }

    /// Time in which every wait lasts until its task is cancelled.
    private struct SteadyTime: TimeSource {
        func now() -> Timestamp { VirtualTimeSource.standardStart }
        func offsetSeconds(at moment: Timestamp) -> Int { 0 }
        func sleep(for duration: Duration) async throws(CancellationError) {
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw CancellationError() }
        }
    }

    @Test func `a card that works for a minute lets the terminal wait that long, and no real time passes here`()
        async throws
    {
        let pcscd = try FarSide()
        let cardTime = EventfulTime()
        async let serving: Void = door(.vpcd, at: pcscd.address, cardTime: cardTime).serve()
        try await pcscd.meet { reader in
            try reader.send(hex("0001 01 0004 00E03C00"))
            #expect(try reader.receive(4) == hex("0002 9000"))
        }
        try await serving
        #expect(cardTime.durations.reduce(.zero, +) >= .seconds(60))
    }

    @Test func `a card that goes mute is pulled out of pcscd's reader, and told so`() async throws {
        let pcscd = try FarSide()
        async let serving: Void = door(.vpcd, at: pcscd.address).serve()
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
    func `a card that is pulled out by its profile leaves the reader, with its answer or before`(
        removal: SimulatedCardReply.Removal, answer: String
    ) async throws {
        let qemu = try FarSide(at: FarSide.freePath())
        async let serving: Void = door(.vscard, at: qemu.address, card: LeavingCard(removal)).serve()
        try await qemu.meet { chardev in
            try chardev.send(try chardev.receive(24))
            _ = try chardev.receive(24)
            try chardev.send(hex("00000002 00000000 00000004 00000000"))
            _ = try chardev.receive(12 + ScriptedCard.t1.count)
            try chardev.send(hex("00000007 00000000 00000004 00B20000"))
            #expect(try chardev.receive(100) == hex(answer + "00000006 00000000 00000000"))
        }
        try await serving
        #expect(events.values.last == .disconnected(commands: 1, reason: "the card was pulled out"))
    }

    @Test func `who does not speak the protocol is left alone`() async throws {
        let server = try FarSide()
        let serving = Task { [door = door(.vscard, at: server.address, stay: .init())] in try await door.serve() }
        try await server.meet { try $0.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        await #expect(throws: DoorError.malformed("message type 1213486160 is none of 1 to 9")) {
            try await serving.value
        }
    }

    @Test func `card data stays out of the trace and of what is told`() async throws {
        let profile = try CardProfileLibrary.profile("visa-credit")
        let card = try SimulatedEMVCard(profile: profile, random: SeededRandomSource(seed: 1))
        let pcscd = try FarSide()
        async let serving: Void = door(.vpcd, at: pcscd.address, card: card).serve()
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
