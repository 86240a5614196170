import Concurrency
import Hardware
import Payments
import SimulatedTime
import Simulator
import Synchronization
import Testing

@testable import Yosemite

/// The reader's state as seen by its subscribers.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReaderSessionTests {
    private final class Seen<Value: Sendable>: Sendable {
        private let values = Mutex<[Value]>([])
        func add(_ value: Value) { values.withLock { $0.append(value) } }
        var all: [Value] { values.withLock { $0 } }
    }

    private func session(of till: TestTill) async throws -> ReaderSession {
        let (stream, continuation) = AsyncStream.makeStream(of: ReaderSession.self)
        try till.dispatcher.dispatch(CardPresentPaymentsAction.loadReaderSession { continuation.yield($0) })
        var iterator = stream.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test func `a payment is observed from the first prompt to the card removal`() async throws {
        let till = try TestTill()
        let session = try await session(of: till)
        let (prompts, slots) = (Seen<CardReaderEvent?>(), Seen<ReaderSessionState.Slot>())
        let subscriptions = [
            session.query(.events, select: \.prompt) { prompts.add($0) },
            session.query(.events, select: \.slot) { slots.add($0) },
        ]
        await session.waitUntilSubscribed()
        #expect(try await till.pay().outcome == .approved)
        while slots.all.last != .empty { try await till.clock.sleep(for: .milliseconds(1)) }
        #expect(prompts.all.contains(.waitingForInput(.insert)))
        #expect(prompts.all.contains(.authorizing))
        #expect(slots.all.contains(.occupied))
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `the connected reader is followed only while there is a subscription`() async throws {
        let till = try TestTill()
        let session = try await session(of: till)
        #expect(session.state.followed.isEmpty)
        let readers = Seen<String?>()
        let subscription = session.query(.connection, select: \.reader?.id) { readers.add($0) }
        await session.waitUntilSubscribed()
        let reader = try await till.connect()
        while session.state.reader == nil { try await till.clock.sleep(for: .milliseconds(1)) }
        #expect(readers.all == [nil, reader.id])
        subscription.cancel()
        #expect(session.state.followed.isEmpty)
        try await till.perform { .disconnect(onCompletion: $0) } as Void
        #expect(readers.all == [nil, reader.id])
    }

    @Test func `equal subscriptions share one query, which ends with the last of them`() async throws {
        let till = try TestTill()
        let session = try await session(of: till)
        let first = session.query(.update, select: \.update) { _ in }
        let second = session.query(.update, select: \.update) { _ in }
        await session.waitUntilSubscribed()
        first.cancel()
        #expect(session.state.followed == [.update])
        second.cancel()
        #expect(session.state.followed.isEmpty)
    }

    @Test func `equal events are distinguished, and the battery state ends with the connection`() {
        var state = ReaderSessionState()
        state.note(.cardInserted)
        let first = state.lastEvent
        state.note(.cardInserted)
        #expect(first?.event == state.lastEvent?.event)
        #expect(first != state.lastEvent)
        #expect(state.slot == .occupied)
        state.note(.removeCardRequested)
        #expect(state.prompt == .removeCardRequested)
        state.note(.disconnected(.requested))
        #expect(state.prompt == nil)
        #expect(state.slot == .unknown)
    }
}
