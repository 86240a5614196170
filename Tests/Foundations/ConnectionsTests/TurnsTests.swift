import Determinism
import Testing

@testable import Connections

@Suite("Turns and deadlines")
struct TurnsTests {
    @Test func `turns go to those who wait, in their order`() async throws {
        let turns = Turns()
        try await turns.take(until: .never, on: time, for: .write)
        let order = Shared<[Int]>([])
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<5 {
            let isWaiting = turns.waiting
            tasks.append(
                Task {
                    try await turns.take(until: .never, on: time, for: .write)
                    order.change { $0.append(number) }
                    turns.release()
                })
            while turns.waiting == isWaiting { await Task.yield() }
        }
        tasks[2].cancel()
        #expect(await failure { try await tasks[2].value } == .canceled)
        turns.release()
        for task in tasks { try? await task.value }
        #expect(order.value == [0, 1, 3, 4])
        #expect(turns.takeIfFree())
        #expect(!turns.takeIfFree())
    }

    @Test func `one who waits too long loses nothing for the others`() async throws {
        let turns = Turns()
        #expect(turns.takeIfFree())
        let failure = await failure { try await turns.take(until: .after(milliseconds: 5), on: time, for: .read) }
        #expect(failure == .timedOut(.read))
        #expect(turns.waiting == 0)
        turns.release()
        try await turns.take(until: .after(milliseconds: -1), on: time, for: .read)
    }

    @Test func `many cancellations and turns lose no turn`() async {
        let turns = Turns()
        let done = Shared(0)
        let inside = Shared(0)
        await withTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let task = Task {
                        try await turns.take(until: .never, on: time, for: .read)
                        #expect(inside.change { $0 += 1 } == 1)
                        await Task.yield()
                        inside.change { $0 -= 1 }
                        turns.release()
                        done.change { $0 += 1 }
                    }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(done.value >= 333)
        #expect(turns.takeIfFree())
    }

    @Test func `a deadline is a reading of the given clock`() {
        let clock = VirtualTimeSource()
        let deadline = Deadline(after: .seconds(5), on: clock)
        #expect(deadline.remaining(on: clock) == .seconds(5))
        clock.advance(by: .seconds(7))
        #expect(deadline.remaining(on: clock) == .seconds(-2))
        #expect(deadline < .never)
        #expect(Deadline.never.limited(to: .seconds(1), on: clock).remaining(on: clock) == .seconds(1))
        #expect(Deadline.never.remaining(on: clock) > .seconds(1 << 40))
    }
}
