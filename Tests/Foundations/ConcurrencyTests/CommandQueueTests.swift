import TestDoubles
import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct CommandQueueTests {
    private enum Refused: Error, Hashable { case byServer }

    @Test func `a command's value comes back through the queue`() async throws {
        let queue = CommandQueue()
        #expect(try await queue.run(TestCommand<Int, Refused>(.success(4))) == 4)
        #expect(queue.count == 0)
    }

    @Test func `a command's failure is rethrown unchanged`() async {
        let queue = CommandQueue()
        await #expect(throws: QueueFailure<Refused>.failed(.byServer)) {
            try await queue.run(TestCommand<Int, Refused>(.failure(.byServer)))
        }
    }

    @Test func `a queue with a concurrency of one runs commands in order`() async throws {
        let queue = CommandQueue()
        let gate = Gate()
        let steps = Steps()
        async let first = queue.run(gated("first", gate, steps))
        await steps.wait(for: "first begins")
        async let second = queue.run(gated("second", nil, steps))
        while queue.count < 2 { await Task.yield() }
        #expect(steps.all == ["first begins"])
        gate.open()
        _ = try await (first, second)
        #expect(steps.all == ["first begins", "first ends", "second begins", "second ends"])
    }

    @Test func `a queue of two carries out two at a time and holds the third`() async throws {
        let queue = CommandQueue(concurrency: 2)
        let gate = Gate()
        let steps = Steps()
        async let first = queue.run(gated("a", gate, steps))
        await steps.wait(for: "a begins")
        async let second = queue.run(gated("b", gate, steps))
        await steps.wait(for: "b begins")
        async let third = queue.run(gated("c", nil, steps))
        while queue.count < 3 { await Task.yield() }
        #expect(steps.all == ["a begins", "b begins"])
        gate.open()
        _ = try await (first, second, third)
        #expect(steps.all.contains("c ends"))
        #expect(queue.count == 0)
    }

    @Test func `equal commands that are to be reused are carried out once, and all get the value`() async throws {
        let queue = CommandQueue()
        let gate = Gate()
        let steps = Steps()
        let key = CommandKey("orders.sync", "1")
        async let first = queue.run(gated("sync", gate, steps).keyed(key), reuse: true)
        await steps.wait(for: "sync begins")
        async let second = queue.run(gated("sync", gate, steps).keyed(key), reuse: true)
        async let third = queue.run(gated("sync", gate, steps).keyed(key), reuse: true)
        // Both have joined when the queue holds no further command and they have had their turn.
        for _ in 0..<100 { await Task.yield() }
        #expect(queue.count == 1)
        gate.open()
        #expect(try await [first, second, third] == ["sync", "sync", "sync"])
        #expect(steps.all == ["sync begins", "sync ends"])
    }

    @Test func `commands of other keys, other types or no key are never reused`() async throws {
        let queue = CommandQueue(concurrency: 8)
        let gate = Gate()
        let steps = Steps()
        let key = CommandKey("sync")
        async let keyed = queue.run(gated("a", gate, steps).keyed(key), reuse: true)
        await steps.wait(for: "a begins")
        async let other = queue.run(gated("b", gate, steps).keyed(CommandKey("sync", "2")), reuse: true)
        async let typed = queue.run(gated("c", gate, steps).keyed(key).map { _ in 1 }, reuse: true)
        async let keyless = queue.run(gated("d", gate, steps), reuse: true)
        async let unwilling = queue.run(gated("e", gate, steps).keyed(key))
        for name in ["b", "c", "d", "e"] { await steps.wait(for: "\(name) begins") }
        gate.open()
        _ = try await (keyed, other, typed, keyless, unwilling)
        #expect(steps.all.count == 10)
    }

    @Test func `a canceled task takes its waiting command out of the line`() async throws {
        let queue = CommandQueue()
        let gate = Gate()
        let steps = Steps()
        async let first = queue.run(gated("first", gate, steps))
        await steps.wait(for: "first begins")
        let second = Task { () throws(QueueFailure<Refused>) in try await queue.run(gated("second", nil, steps)) }
        while queue.count < 2 { await Task.yield() }
        second.cancel()
        await #expect(throws: QueueFailure<Refused>.canceled) { try await second.value }
        gate.open()
        _ = try await first
        #expect(steps.all == ["first begins", "first ends"])
    }

    @Test func `a task that was canceled before does not begin its command`() async {
        let queue = CommandQueue()
        let gate = Gate()
        let steps = Steps()
        async let first = try? queue.run(gated("first", gate, steps))
        await steps.wait(for: "first begins")
        let late = Task { () throws(QueueFailure<Refused>) in
            while !Task.isCancelled { await Task.yield() }
            return try await queue.run(gated("late", nil, steps))
        }
        late.cancel()
        await #expect(throws: QueueFailure<Refused>.canceled) { try await late.value }
        gate.open()
        _ = await first
        #expect(!steps.all.contains("late begins"))
    }

    @Test func `a running command is canceled with its only waiter, which still gets its result`()
        async throws
    {
        let queue = CommandQueue()
        let steps = Steps()
        let command = ClosureCommand<String, Refused> {
            steps.append("begins")
            while !Task.isCancelled { await Task.yield() }
            return "charged before the cancellation"
        }
        let only = Task { () throws(QueueFailure<Refused>) in try await queue.run(command) }
        await steps.wait(for: "begins")
        only.cancel()
        #expect(try await only.value == "charged before the cancellation")
    }

    @Test func `a shared command goes on when one of two waiters is canceled`() async throws {
        let queue = CommandQueue()
        let gate = Gate()
        let steps = Steps()
        let key = CommandKey("sync")
        let staying = Task { () throws(QueueFailure<Refused>) in
            try await queue.run(gated("sync", gate, steps).keyed(key), reuse: true)
        }
        await steps.wait(for: "sync begins")
        let leaving = Task { () throws(QueueFailure<Refused>) in
            try await queue.run(gated("sync", gate, steps).keyed(key), reuse: true)
        }
        for _ in 0..<100 { await Task.yield() }
        leaving.cancel()
        await #expect(throws: QueueFailure<Refused>.canceled) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == "sync")
    }

    @Test func `a command whose waiters have all gone is not reused`() async throws {
        let queue = CommandQueue(concurrency: 2)
        let gate = Gate()
        let steps = Steps()
        let key = CommandKey("sync")
        let gone = Task { () throws(QueueFailure<Refused>) in
            try await queue.run(gated("old", gate, steps).keyed(key), reuse: true)
        }
        await steps.wait(for: "old begins")
        gone.cancel()
        let fresh = Task { () throws(QueueFailure<Refused>) in
            try await queue.run(gated("new", gate, steps).keyed(key), reuse: true)
        }
        await steps.wait(for: "new begins")
        gate.open()
        #expect(try await fresh.value == "new")
        #expect(try await gone.value == "old")
    }

    @Test func `hundreds of commands from many tasks never exceed the concurrency`() async throws {
        let queue = CommandQueue(concurrency: 3)
        let load = Load()
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    let command = ClosureCommand<Int, Refused> {
                        load.enter()
                        await Task.yield()
                        load.leave()
                        return number
                    }
                    return try await queue.run(command)
                }
            }
            var sum = 0
            for try await number in group { sum += number }
            #expect(sum == 300 * 299 / 2)
        }
        #expect(load.most <= 3)
        #expect(queue.count == 0)
    }

    /// A command that reports its start and end, and waits for the gate in between.
    private func gated(_ name: String, _ gate: Gate?, _ steps: Steps) -> any Command<String, Refused> {
        ClosureCommand<String, Refused> {
            steps.append("\(name) begins")
            await gate?.pass()
            steps.append("\(name) ends")
            return name
        }
    }
}
