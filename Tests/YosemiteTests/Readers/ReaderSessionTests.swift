import Flux
import Hardware
import Synchronization
import Testing

@testable import Yosemite

/// The reader's state as those see it who ask for it.
@Suite(.timeLimit(.minutes(1))) struct ReaderSessionTests {
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

    @Test func `a payment is seen from the first prompt to the empty slot`() async throws {
        let till = try TestTill()
        let session = try await session(of: till)
        let (prompts, slots) = (Seen<CardReaderEvent?>(), Seen<ReaderSessionState.Slot>())
        let subscriptions = [
            session.query(.events, select: \.prompt) { prompts.add($0) },
            session.query(.events, select: \.slot) { slots.add($0) },
        ]
        await session.settle()
        #expect(try await till.pay().outcome == .approved)
        while slots.all.last != .empty { await Task.yield() }
        #expect(prompts.all.contains(.waitingForInput(.insert)))
        #expect(prompts.all.contains(.authorizing))
        #expect(slots.all.contains(.occupied))
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `the connected reader is known as long as somebody asks, and not followed afterwards`() async throws {
        let till = try TestTill()
        let session = try await session(of: till)
        #expect(session.state.followed.isEmpty)
        let readers = Seen<String?>()
        let subscription = session.query(.connection, select: \.reader?.id) { readers.add($0) }
        await session.settle()
        let reader = try await till.connect()
        while session.state.reader == nil { await Task.yield() }
        #expect(readers.all == [nil, reader.id])
        subscription.cancel()
        #expect(session.state.followed.isEmpty)
        try await till.perform { .disconnect(onCompletion: $0) } as Void
        #expect(readers.all == [nil, reader.id])
    }

    @Test func `two who ask the same are one query, which ends with the last of them`() async throws {
        let till = try TestTill()
        let session = try await session(of: till)
        let first = session.query(.update, select: \.update) { _ in }
        let second = session.query(.update, select: \.update) { _ in }
        await session.settle()
        first.cancel()
        #expect(session.state.followed == [.update])
        second.cancel()
        #expect(session.state.followed.isEmpty)
    }

    @Test func `equal events are told apart, and the battery goes with the reader`() {
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
