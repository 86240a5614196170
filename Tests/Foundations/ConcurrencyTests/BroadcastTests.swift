import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct BroadcastTests {
    @Test func `a consumer that ends is removed`() async {
        let broadcast = Broadcast(current: 1)
        do {
            var iterator = broadcast.subscribe().makeAsyncIterator()
            #expect(await iterator.next() == 1)
            #expect(broadcast.subscriberCount == 1)
        }
        #expect(broadcast.subscriberCount == 0)
        broadcast.send(2)
    }

    @Test func `a canceled consumer is removed`() async {
        let broadcast = Broadcast<Int>()
        let stream = broadcast.subscribe()
        let task = Task { for await _ in stream {} }
        #expect(broadcast.subscriberCount == 1)
        task.cancel()
        await task.value
        #expect(broadcast.subscriberCount == 0)
    }

    @Test func `subscribers of a state see the current value and every later one, in order`() async {
        let broadcast = Broadcast(current: 0)
        var early = broadcast.subscribe().makeAsyncIterator()
        for number in 1...100 { broadcast.send(number) }
        for number in 0...100 { #expect(await early.next() == number) }
        var late = broadcast.subscribe().makeAsyncIterator()
        #expect(await late.next() == 100)
    }

    @Test func `subscribers of events see what comes after them`() async {
        let broadcast = Broadcast<Int>()
        broadcast.send(1)
        var events = broadcast.subscribe().makeAsyncIterator()
        broadcast.send(2)
        #expect(await events.next() == 2)
    }

    @Test func `when the sender goes away the streams end`() async {
        var broadcast: Broadcast<Int>? = Broadcast(current: 1)
        let stream = broadcast?.subscribe()
        broadcast = nil
        var seen: [Int] = []
        if let stream { for await value in stream { seen.append(value) } }
        #expect(seen == [1])
    }
}
