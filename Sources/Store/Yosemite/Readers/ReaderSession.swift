public import Concurrency
public import Determinism
public import Hardware
import Storage

/// The card reader's state for user interfaces. Each observer subscribes to the part it needs.
///
/// Only parts with a subscription are followed.
public final class ReaderSession: Sendable {
    private let queries: QueryStore<ReaderSessionState, ReaderSessionQuery>
    private let service: any CardReaderService

    /// - Parameter service: the service with the reader.
    public init(_ service: any CardReaderService) {
        self.service = service
        let state = StatefulStore(ReaderSessionState())
        let tasks = QueryTasks<ReaderSessionQuery> {
            await Feed(service: service, state: state).run($0)
        } onEnd: { query in
            state.transaction { _ = $0.followed.remove(query) }
        }
        queries = QueryStore(state) { tasks.follow($0) }
    }

    /// The current state.
    public var state: ReaderSessionState { queries.state.state }

    /// Calls `notify` with the value of `select`: now, and after every change of it. Calls do not overlap, none is
    /// skipped, and they end with the subscription.
    public func query<Value: Equatable & Sendable>(
        _ query: ReaderSessionQuery, select: @escaping @Sendable (ReaderSessionState) -> Value,
        notify: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        queries.query(query, select: select, notify: notify)
    }

    /// Calls `notify` with the connected readers: now, and whenever the list changes. Calls do not overlap, and end
    /// with the subscription.
    func observeReaders(_ notify: @escaping @Sendable ([CardReader]) -> Void) -> Subscription {
        let following = Task { [service] in
            var last: [CardReader]?
            for await readers in await service.connectedReaders where readers != last {
                // A canceled stream may still hand out a list that it had.
                guard !Task.isCancelled else { return }
                last = readers
                notify(readers)
            }
        }
        return Subscription { following.cancel() }
    }

    /// Waits until every subscribed part is followed, so that nothing that happens later is missed. Returns early when
    /// the task is canceled.
    public func waitUntilSubscribed() async {
        let wanted = Set(queries.activeQueries)
        await wait { wanted.isSubset(of: $0.followed) }
    }

    /// Waits until `isReached` is true for the state; earlier subscribers have been notified by then. Returns early
    /// when the task is canceled.
    public func wait(until isReached: @escaping @Sendable (ReaderSessionState) -> Bool) async {
        for await reached in queries.state.values(isReached) where reached { return }
    }
}

/// Copies what the reader service reports into the state.
private struct Feed {
    let service: any CardReaderService
    let state: StatefulStore<ReaderSessionState>

    func run(_ query: ReaderSessionQuery) async {
        switch query {
        case .connection: await copy(query, await service.connectedReaders) { $0.reader = $1.first }
        case .reconnection: await copy(query, await service.reconnectionStates) { $0.reconnection = $1 }
        case .update: await copy(query, await service.softwareUpdateEvents) { $0.update = $1 }
        case .events: await copy(query, await service.readerEvents) { $0.note($1) }
        }
    }

    private func copy<Value: Sendable>(
        _ query: ReaderSessionQuery, _ values: AsyncStream<Value>,
        _ note: @Sendable (inout ReaderSessionState, Value) -> Void
    ) async {
        guard !Task.isCancelled else { return }
        state.transaction { _ = $0.followed.insert(query) }
        for await value in values { state.transaction { note(&$0, value) } }
    }
}

/// The known state of the card reader; see ``ReaderSession``.
public struct ReaderSessionState: Hashable, Sendable {
    /// Whether a card is in the slot.
    public enum Slot: Hashable, Sendable { case unknown, empty, occupied }

    /// An event with a number, so that equal events differ.
    public struct Event: Hashable, Sendable {
        public let number: UInt64
        public let event: CardReaderEvent
    }

    /// The followed parts. Other parts keep their last values.
    public internal(set) var followed: Set<ReaderSessionQuery> = []
    /// The connected reader with its battery level; nil for none.
    public internal(set) var reader: CardReader?
    public internal(set) var reconnection = CardReaderReconnectionState.idle
    public internal(set) var update = CardReaderSoftwareUpdateState.none
    public internal(set) var slot = Slot.unknown
    /// The current prompt or wait at the reader; nil for none.
    public internal(set) var prompt: CardReaderEvent?
    /// The last event of the reader.
    public internal(set) var lastEvent: Event?

    /// Applies an event of the reader.
    mutating func note(_ event: CardReaderEvent) {
        lastEvent = Event(number: (lastEvent?.number ?? 0) + 1, event: event)
        switch event {
        case .waitingForInput, .displayMessage, .readerMessage, .removeCardRequested, .authorizing: prompt = event
        case .cardInserted: (slot, prompt) = (.occupied, nil)
        case .cardSwiped, .cardTapped: prompt = nil
        case .cardRemoved, .cardRemovedAfterClientSidePaymentCapture: (slot, prompt) = (.empty, nil)
        case .lowBattery(let level), .lowBatteryResolved(let level): reader?.batteryLevel = level
        case .disconnected: (slot, prompt) = (.unknown, nil)
        case .kernel, .cardDetailsCollected, .recovering: break
        }
    }
}

/// A part of the reader's state.
public enum ReaderSessionQuery: Hashable, Sendable, CaseIterable {
    /// The connected reader.
    case connection
    /// The reconnection of a lost reader.
    case reconnection
    /// A firmware update.
    case update
    /// Events of the reader: cards, prompts, battery.
    case events
}

/// A card reader that was used and not forgotten.
public struct RememberedCardReader: Hashable, Sendable, Identifiable {
    /// The reader's identifier.
    public let id: String
    public let name: String
    /// The time when it was last used.
    public let usedAt: Timestamp

    /// Describes a reader by its ID, its name, and when it was last used.
    public init(id: String, name: String, usedAt: Timestamp) { (self.id, self.name, self.usedAt) = (id, name, usedAt) }

    init(_ record: RememberedReader) { self.init(id: record.id, name: record.name, usedAt: record.usedAt) }
}

extension [RememberedCardReader] {
    /// Returns the reader to use.
    ///
    /// - Parameter ids: the connected readers.
    /// - Returns: the most recently used one; the first one if none was used before.
    public func preferred(among ids: [String]) -> String? {
        first { ids.contains($0.id) }?.id ?? ids.first
    }
}
