import Determinism
import Simulator
import Synchronization
import Testing
import USB

@Suite struct SimulationClockTests {
    private let clock = SimulationClock()

    private func elapsed(_ clock: SimulationClock) -> Int64 {
        clock.now().milliseconds - VirtualTimeSource.standardStart.milliseconds
    }

    @Test func `a sleep goes through the events on its way in the order of their time and then of their planning`()
        async throws
    {
        let seen = Mutex<[String]>([])
        let clock = clock
        for (delay, name) in [(300, "late"), (100, "first"), (100, "second"), (50, "early"), (900, "beyond")] {
            clock.schedule(after: .milliseconds(delay)) {
                let elapsed = clock.now().milliseconds - VirtualTimeSource.standardStart.milliseconds
                seen.withLock { $0.append("\(name)@\(elapsed)") }
            }
        }
        try await clock.sleep(for: .milliseconds(500))
        #expect(seen.withLock { $0 } == ["early@50", "first@100", "second@100", "late@300"])
        #expect(elapsed(clock) == 500)
    }

    @Test func `an event that plans another one in time is followed by it`() async throws {
        let seen = Mutex(0)
        let clock = clock
        clock.schedule(after: .milliseconds(10)) {
            clock.schedule(after: .milliseconds(10)) { seen.withLock { $0 += 1 } }
        }
        try await clock.sleep(for: .milliseconds(20))
        #expect(seen.withLock { $0 } == 1)
    }

    @Test func `the shortest sleep gets on and a negative one does not wait`() async throws {
        try await clock.sleep(for: .nanoseconds(1))
        #expect(elapsed(clock) == 1)
        try await clock.sleep(for: .seconds(-5))
        #expect(elapsed(clock) == 1)
        try await clock.sleep(for: .seconds(Int64.max))
        #expect(elapsed(clock) == 100 * 366 * 86_400_000 + 1)
    }

    @Test func `a sleep of a cancelled task does not move the clock`() async {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(elapsed(clock) == 0)
    }

    @Test func `a bulk read that gets nothing takes its whole timeout and no real time`() async throws {
        let host = try await RawHost(clock: clock)
        await #expect(throws: USBError.timedOut) { try await host.read(timeout: .seconds(3600)) }
        #expect(elapsed(clock) == 3_600_000)
    }

    @Test func `a pending interrupt read leaves the clock to the exchanges`() async throws {
        let host = try await RawHost(card: ScriptedCard(ScriptedCard.t0), clock: clock)
        #expect(try await host.notice() == [0x50, 0x03])
        let listener = Task { try await host.notice() }
        try await host.powerOn()
        for _ in 0..<50 { #expect(try await host.transfer([0x00, 0xE0, 1, 0, 0]).data == [0x90, 0x00]) }
        let before = elapsed(clock)
        #expect(before < 100_000)
        try await clock.sleep(for: .seconds(1))
        #expect(elapsed(clock) == before + 1000)
        listener.cancel()
        await #expect(throws: USBError.cancelled) { try await listener.value }
    }

    @Test func `with empty slots a pending interrupt read brings the card on`() async throws {
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(20_000)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        #expect(try await host.notice() == [0x50, 0x03])
        #expect(elapsed(clock) == 20_000_000)
    }

    @Test func `a card planned while the interrupt read is pending comes too`() async throws {
        let host = try await RawHost(clock: clock)
        let listener = Task { try await host.notice() }
        clock.schedule(after: .seconds(20_000)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        #expect(try await listener.value == [0x50, 0x03])
        #expect(elapsed(clock) == 20_000_000)
    }

    @Test func `a card that was just inserted is not pulled out before the host used it`() async throws {
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(2)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        clock.schedule(after: .seconds(50_000)) { host.reader.removeCard() }
        #expect(try await host.notice() == [0x50, 0x03])
        let listener = Task { try await host.notice() }
        #expect(try await host.command(0x65).status == 0x01)
        try await host.powerOn()
        #expect(try await host.transfer([0x00, 0xB0, 0, 4, 4]).data.count == 6)
        #expect(elapsed(clock) < 3_000)
        // Only with the power gone from a used card the host waits for its removal.
        #expect(try await host.command(0x63).status == 0x01)
        #expect(try await listener.value == [0x50, 0x02])
        #expect(elapsed(clock) == 50_000_000)
    }

    @Test func `a disruptive event waits until a sleep or an exchange reaches it`() async throws {
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(5_000), .disruptive) { host.bus.unplug(host.reader) }
        let listener = Task { try await host.notice() }
        #expect(try await host.command(0x65).status == 0x02)
        #expect(elapsed(clock) == 0)
        try await clock.sleep(for: .seconds(5_000))
        await #expect(throws: USBError.disconnected) { try await listener.value }
    }

    @Test func `an interrupt read ends when others move the clock past its deadline`() async throws {
        let host = try await RawHost(clock: clock)
        let listener = Task { try await host.notice(timeout: .seconds(500)) }
        await Task.yield()
        try await clock.sleep(for: .seconds(1_000))
        await #expect(throws: USBError.timedOut) { try await listener.value }
    }

    @Test func `news in the middle of a sleep reaches the host before the sleep is over`() async throws {
        let host = try await RawHost(clock: clock)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        // Nobody but the pending read brings on the first event, and nobody but the sleep goes through the second.
        clock.schedule(after: .seconds(1)) { start.finish() }
        clock.schedule(after: .seconds(2), .disruptive) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        let news = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try await host.notice(timeout: .seconds(100_000)) }
            group.addTask {
                for await _ in starts {}
                try await host.clock.sleep(for: .seconds(30_000))
                return nil
            }
            let first = try await group.next()
            group.cancelAll()
            return first ?? nil
        }
        #expect(news == [0x50, 0x03])
        #expect(elapsed(clock) == 2_000)
    }

    @Test func `an interrupt read waits, and does not look again and again, for a card that comes too late for it`()
        async throws
    {
        let pace = VirtualTimeSource()
        let clock = SimulationClock(pace: pace)
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(9)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        await #expect(throws: USBError.timedOut) { try await host.notice(timeout: .seconds(7)) }
        #expect(elapsed(clock) == 7_000)
    }

    @Test func `when nothing will ever happen the deadline of an interrupt read comes at real pace`() async throws {
        // Real time that passes in no time.
        let pace = VirtualTimeSource()
        let clock = SimulationClock(pace: pace)
        let host = try await RawHost(clock: clock)
        await #expect(throws: USBError.timedOut) { try await host.notice(timeout: .seconds(7)) }
        #expect(elapsed(clock) == 7_000)
        #expect(pace.now().milliseconds - VirtualTimeSource.standardStart.milliseconds == 7_000)
    }

    @Test func `on another time source waits are left to it`() async throws {
        let source = CountingTimeSource()
        let clock = SimulationClock(source)
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(2)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        #expect(try await host.notice() == [0x50, 0x03])
        #expect(source.now() >= VirtualTimeSource.standardStart.advanced(by: .seconds(2)))
        await #expect(throws: USBError.timedOut) { try await host.read(timeout: .seconds(3)) }
        #expect(source.sleeps > 0)
    }
}

/// Stands for real time: not a `VirtualTimeSource`, so the clock must not move it, only wait on it.
private final class CountingTimeSource: TimeSource {
    private let time = VirtualTimeSource()
    private let count = Mutex(0)

    var sleeps: Int { count.withLock { $0 } }
    func now() -> Timestamp { time.now() }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }
    func sleep(for duration: Duration) async throws(CancellationError) {
        count.withLock { $0 += 1 }
        try await time.sleep(for: duration)
    }
}
