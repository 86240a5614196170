import Determinism
import EntryPoint
import Testing

/// Case 2EA.011 of the foreign test list, and what else a display has to keep to (Book A §7.1).
struct MessageQueueTests {
    private let start = Timestamp(milliseconds: 1_000_000)

    private func message(_ identifier: MessageIdentifier, tenths: Int) -> UserInterfaceRequest {
        UserInterfaceRequest(identifier, .notReady, holdTime: .milliseconds(100 * tenths))
    }

    @Test(arguments: [1, 13, 100])
    func `2EA.011.00: a message stays for its hold time before the next one replaces it`(tenths: Int) {
        var queue = MessageQueue()
        let (first, second) = (message(.cardRead, tenths: tenths), message(.approved, tenths: 0))
        queue.add(first)
        #expect(queue.advance(to: start) == [first])
        queue.add(second)
        let end = start.advanced(by: .milliseconds(100 * tenths))
        #expect(queue.advance(to: start) == [] && queue.nextChange == end)
        #expect(queue.advance(to: end.advanced(by: .milliseconds(-1))) == [] && queue.shown == first)
        #expect(queue.advance(to: end) == [second] && queue.shown == second && queue.nextChange == nil)
    }

    @Test func `messages without a hold time replace each other at once, in their order`() {
        var queue = MessageQueue()
        let messages = [message(.processing, tenths: 0), message(.cardRead, tenths: 0), message(.approved, tenths: 0)]
        for message in messages { queue.add(message) }
        #expect(queue.advance(to: start) == messages && queue.shown == messages.last)
    }

    @Test func `the hold time counts from the moment that a message is shown`() {
        var queue = MessageQueue()
        let messages = [message(.seePhone, tenths: 10), message(.presentCardAgain, tenths: 10)]
        for message in messages { queue.add(message) }
        queue.add(.presentCard)
        #expect(queue.advance(to: start) == [messages[0]])
        // The reader comes late.
        let late = start.advanced(by: .seconds(5))
        #expect(queue.advance(to: late) == [messages[1]])
        #expect(queue.nextChange == late.advanced(by: .seconds(1)))
    }

    @Test func `an empty queue shows nothing and waits for nothing`() {
        var queue = MessageQueue()
        #expect(queue.advance(to: start) == [] && queue.shown == nil && queue.nextChange == nil)
    }
}
