import Determinism
import Testing

@testable import Hardware

@Suite(.timeLimit(.minutes(10))) struct ChangeSignalTests {
    /// Sleeps until it is canceled.
    private struct EndlessTime: TimeSource {
        func now() -> Timestamp { VirtualTimeSource.standardStart }
        func offsetSeconds(at moment: Timestamp) -> Int { 0 }
        func sleep(for duration: Duration) async throws(CancellationError) {
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw CancellationError() }
        }
    }

    @Test func `a wait ends at its deadline`() async {
        let time = VirtualTimeSource()
        let start = time.now()
        await ChangeSignal().wait(atMost: .seconds(3), time)
        #expect(time.now() == start.advanced(by: .seconds(3)))
    }

    @Test func `all waits end at a change, and when their tasks are canceled`() async {
        let signal = ChangeSignal()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await signal.wait(atMost: .seconds(1), EndlessTime()) } }
            group.addTask {
                for _ in 0..<100 {
                    signal.fire()
                    await Task.yield()
                }
                // A late task is resumed too.
                for _ in 0..<1000 { await Task.yield() }
                signal.fire()
            }
            await group.next()
            group.cancelAll()
        }
    }

    @Test func `a wait in a canceled task returns at once`() async {
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await ChangeSignal().wait(atMost: .seconds(1), EndlessTime())
        }.value
    }
}
