import Determinism
import SimulatedTime
import Simulator
import Synchronization
import Testing
import USB

@Suite(.simulatedTime) struct SimulationClockTests {
    private let clock = SimulationClock()

    private func elapsed(_ clock: SimulationClock) -> Int64 {
        clock.now().milliseconds - VirtualTimeSource.standardStart.milliseconds
    }

    @Test func `during a sleep, events happen in the order of their time and then of their scheduling`()
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

    @Test func `an event can schedule another one within the same sleep`() async throws {
        let seen = Mutex(0)
        let clock = clock
        clock.schedule(after: .milliseconds(10)) {
            clock.schedule(after: .milliseconds(10)) { seen.withLock { $0 += 1 } }
        }
        try await clock.sleep(for: .milliseconds(20))
        #expect(seen.withLock { $0 } == 1)
    }

    @Test func `the shortest sleep advances the clock, and a negative one does not wait`() async throws {
        try await clock.sleep(for: .nanoseconds(1))
        #expect(elapsed(clock) == 1)
        try await clock.sleep(for: .seconds(-5))
        #expect(elapsed(clock) == 1)
        try await clock.sleep(for: .seconds(Int64.max))
        #expect(elapsed(clock) == 100 * 366 * 86_400_000 + 1)
    }

    @Test func `a sleep of a canceled task does not move the clock`() async {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(elapsed(clock) == 0)
    }

    @Test func `a bulk read without data takes its whole timeout and no real time`() async throws {
        let host = try await RawHost(clock: clock)
        await #expect(throws: USBError.timedOut) { try await host.read(timeout: .seconds(3600)) }
        #expect(elapsed(clock) == 3_600_000)
    }

    @Test func `a pending interrupt read does not move the clock during exchanges`() async throws {
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
        await #expect(throws: USBError.canceled) { try await listener.value }
    }

    @Test func `with empty slots a pending interrupt read advances to the insertion`() async throws {
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(20_000)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        #expect(try await host.notice() == [0x50, 0x03])
        #expect(elapsed(clock) == 20_000_000)
    }

    @Test func `a card scheduled during a pending interrupt read is inserted too`() async throws {
        let host = try await RawHost(clock: clock)
        let listener = Task { try await host.notice() }
        clock.schedule(after: .seconds(20_000)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        #expect(try await listener.value == [0x50, 0x03])
        #expect(elapsed(clock) == 20_000_000)
    }

    @Test func `an interrupt read ends when others move the clock past its deadline`() async throws {
        let host = try await RawHost(clock: clock)
        let listener = Task { try await host.notice(timeout: .seconds(500)) }
        try await clock.sleep(for: .seconds(1_000))
        await #expect(throws: USBError.timedOut) { try await listener.value }
    }

    @Test func `a notification during a sleep reaches the host before the sleep ends`() async throws {
        let host = try await RawHost(clock: clock)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        // Only the pending read advances to the first event, and only the sleep passes the second.
        clock.schedule(after: .seconds(1)) { start.finish() }
        clock.schedule(after: .seconds(2)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
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

    @Test func `a read ends at its deadline when nothing happens until then`() async throws {
        let host = try await RawHost(clock: clock)
        clock.schedule(after: .seconds(9)) { host.reader.insert(ScriptedCard(ScriptedCard.t0)) }
        await #expect(throws: USBError.timedOut) { try await host.notice(timeout: .seconds(7)) }
        #expect(elapsed(clock) == 7_000)
    }

    @Test func `an event happens before a wait that ends at the same moment`() async throws {
        let seen = Seen<String>()
        let sleeper = Task { [clock] in
            try await clock.sleep(for: .seconds(1))
            seen.add("sleep")
        }
        clock.schedule(after: .seconds(1)) { seen.add("event") }
        try await sleeper.value
        #expect(seen.all == ["event", "sleep"])
    }

    @Test func `sleeps of many tasks end in the order of their deadlines`() async throws {
        let seen = Seen<Int>()
        try await withThrowingTaskGroup(of: Void.self) { [clock] group in
            for seconds in [30, 10, 20] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    seen.add(seconds)
                }
            }
            try await group.waitForAll()
        }
        #expect(seen.all == [10, 20, 30])
        #expect(elapsed(clock) == 30_000)
    }

    @Test func `on another time source waits are real`() async throws {
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

private final class Seen<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func add(_ value: Value) { values.withLock { $0.append(value) } }
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
        // The yield in a virtual sleep leaves the thread of the world.
        try await RunQueue.outside { [time] () async throws(CancellationError) in try await time.sleep(for: duration) }
    }
}
