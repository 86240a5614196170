import Determinism
import Dispatch
import SimulatedTime
import Simulator
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct RunQueueTests {
    private final class Seen: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    private struct Failure: Error {}

    @Test func `a world ends with its body and returns its value or error`() async throws {
        #expect(try await RunQueue.run { 7 } == 7)
        await #expect(throws: Failure.self) { try await RunQueue.run { throw Failure() } }
        #expect(RunQueue.current == nil)
    }

    @Test func `a clock belongs to the world that creates it, and moves when nothing else can run`()
        async throws
    {
        let elapsed = try await RunQueue.run {
            #expect(RunQueue.current != nil)
            let clock = SimulationClock()
            let start = clock.now()
            try await clock.sleep(for: .seconds(86_400))
            return clock.now().milliseconds - start.milliseconds
        }
        #expect(elapsed == 86_400_000)
    }

    @Test func `tasks run in the order in which they become ready, repeatably`() async throws {
        func play() async throws -> [String] {
            let seen = Seen()
            try await RunQueue.run {
                let clock = SimulationClock()
                await withTaskGroup(of: Void.self) { group in
                    for name in ["a", "b", "c"] {
                        group.addTask {
                            for round in 0..<3 {
                                seen.add("\(name)\(round)")
                                try? await clock.sleep(for: .seconds(1))
                            }
                        }
                    }
                }
            }
            return seen.all
        }
        let first = try await play()
        #expect(first == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"])
        for _ in 0..<20 {
            let next = try await play()
            #expect(next == first)
        }
    }

    @Test func `a world in which a task waits for something that never happens is stuck`() async {
        let seen = Seen()
        let error = await #expect(throws: RunQueueError.self) {
            try await RunQueue.run {
                try await SimulationClock().sleep(for: .seconds(5))
                let (stream, continuation) = AsyncStream<Void>.makeStream()
                for await _ in stream { continuation.yield() }
                seen.add("canceled")
            }
        }
        #expect(seen.all == ["canceled"])
        #expect(
            error?.description
                == "the simulation is stuck at 2026-01-02T12:00:05.000Z: no task can run, no task waits for the clock, "
                + "and no event is planned that moves it (use RunQueue.outside to wait for real time, other threads, "
                + "or sockets)")
    }

    @Test func `a body that does not end when it is canceled is left behind`() async {
        let error = await #expect(throws: RunQueueError.self) {
            try await RunQueue.run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
        #expect(error?.reason == .nothingPlanned)
        #expect(error?.hasEnded == false)
        #expect(error?.description.hasSuffix("; the body does not end when it is canceled") == true)
    }

    @Test func `a body that another thread resumes too late fails as well`() async {
        let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let error = await #expect(throws: RunQueueError.self) {
            try await RunQueue.run {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
                } onCancel: {
                    DispatchQueue.global().async { waiting.withLock { $0 }?.resume() }
                }
            }
        }
        #expect(error?.reason == .nothingPlanned)
    }

    @Test func `a world that waits beyond its limit is stuck, and so is one whose task runs without end`() async {
        let start = VirtualTimeSource.standardStart
        let waiting = await #expect(throws: RunQueueError.self) {
            try await RunQueue().runOnOwnThread(until: start.advanced(by: .seconds(60))) {
                let clock = SimulationClock()
                let other = Task { try? await clock.sleep(for: .seconds(61)) }
                try? await clock.sleep(for: .seconds(62))
                other.cancel()
            }
        }
        #expect(waiting?.reason == .limit(start.advanced(by: .seconds(60))))
        #expect(waiting?.waitingTasks == 2)
        #expect(waiting?.hasEnded == true)
        let running = await #expect(throws: RunQueueError.self) {
            try await RunQueue(mostJobs: 1000).runOnOwnThread(until: Timestamp(milliseconds: .max)) {
                while !Task.isCancelled { await Task {}.value }
            }
        }
        #expect(running?.reason == .endless)
    }

    @Test func `a test in simulated time that waits for ever is canceled and fails with the reason`() async throws {
        let test = try #require(Test.current)
        let trait: SimulatedTimeTrait = .simulatedTime
        let error = await #expect(throws: RunQueueError.self) {
            try await trait.provideScope(for: test, testCase: nil) {
                let (stream, continuation) = AsyncStream<Void>.makeStream()
                for await _ in stream { continuation.yield() }
            }
        }
        #expect(error?.hasEnded == true)
    }

    @Test func `a test in simulated time that cannot be stopped ends the process with the reason`() async throws {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let trait: SimulatedTimeTrait = .simulatedTime
            try await trait.run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a test cannot be stopped: the simulation is stuck"))
    }

    @Test func `simulated time stands still while work outside is under way`() async throws {
        let seen = Seen()
        let times = try await RunQueue.run {
            let clock = SimulationClock()
            let start = clock.now()
            clock.schedule(after: .seconds(1)) { seen.add("event") }
            let value = await RunQueue.outside {
                // No world here: this wait is real.
                #expect(RunQueue.current == nil)
                try? await Task.sleep(for: .milliseconds(20))
                seen.add("outside")
                return 7
            }
            #expect(value == 7)
            #expect(RunQueue.current != nil)
            let after = clock.now()
            try await clock.sleep(for: .seconds(2))
            return [after, clock.now()].map { $0.milliseconds - start.milliseconds }
        }
        #expect(times == [0, 2_000])
        #expect(seen.all == ["outside", "event"])
    }

    @Test func `the end of work outside is never missed, at whatever moment it comes`() async throws {
        // Many worlds at once: on a busy machine a world waits for a processor in each round.
        let (worlds, rounds) = (25, 200)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<worlds {
                group.addTask {
                    try await RunQueue.run {
                        var count = 0
                        for _ in 0..<rounds { count += await RunQueue.outside { 1 } }
                        return count
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == worlds * rounds)
    }

    @Test func `errors of outside work are rethrown, and outside of a world it is a plain call`() async throws {
        await #expect(throws: Failure.self) {
            try await RunQueue.run { try await RunQueue.outside { () async throws(Failure) in throw Failure() } }
        }
        let value = await RunQueue.outside { 7 }
        #expect(value == 7)
        try await OutsideTimeSource().sleep(for: .milliseconds(1))
    }

    @Test func `canceling the caller cancels the body, also while it waits outside`() async throws {
        let seen = Seen()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let running = Task {
            try await RunQueue.run {
                begin.finish()
                do {
                    try await OutsideTimeSource().sleep(for: .seconds(3600))
                } catch {
                    seen.add("cancelled")
                    throw error
                }
            }
        }
        for await _ in begun {}
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(seen.all == ["cancelled"])
    }

    @Test func `a bound closure runs in its world, from any thread`() async throws {
        let seen = Seen()
        try await RunQueue.run {
            let world = RunQueue.current
            let call = RunQueue.bound {
                #expect(RunQueue.current === world)
                seen.add("called")
            }
            await RunQueue.outside { await call() }
            await call()
        }
        #expect(seen.all == ["called", "called"])
    }

    @Test func `a world can run another one, and continues afterward`() async throws {
        let elapsed = try await RunQueue.run {
            let clock = SimulationClock()
            let start = clock.now()
            try await clock.sleep(for: .seconds(1))
            try await RunQueue.run { try await SimulationClock().sleep(for: .seconds(3600)) }
            try await clock.sleep(for: .seconds(1))
            return clock.now().milliseconds - start.milliseconds
        }
        #expect(elapsed == 2_000)
    }

    @Test func `between two calls nothing happens in a world`() async throws {
        let queue = RunQueue()
        let clock = SimulationClock()
        queue.add(clock)
        let seen = Seen()
        let first: Void? = await queue.turn {
            _ in
            nil
        } _: {
            try? await clock.sleep(for: .seconds(1))
            seen.add("slept")
        }
        #expect(first == nil)
        #expect(seen.all.isEmpty)
        let second: Int? = await queue.turn {
            $0 ? nil : Timestamp(milliseconds: .max)
        } _: {
            try? await clock.sleep(for: .seconds(2))
            return 7
        }
        #expect(second == 7)
        #expect(seen.all == ["slept"])
    }

    @Test func `a body that comes in a pause never begins, and the beginning of a turn can end the pause`() async {
        let (queue, seen) = (RunQueue(), Seen())
        let isPaused = Mutex(true)
        func turn(_ word: String, ending: Bool) async -> Int? {
            await queue.turn(
                until: { _ in nil }, onBegin: { if ending { isPaused.withLock { $0 = false } } },
                pausedBy: { isPaused.withLock { $0 } }
            ) {
                seen.add(word)
                return 7
            }
        }
        #expect(await turn("in the pause", ending: false) == nil)
        #expect(await turn("after it", ending: true) == 7)
        #expect(seen.all == ["after it"])
    }
}
