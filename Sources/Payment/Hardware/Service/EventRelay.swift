internal import Concurrency
internal import Synchronization

/// Sends the reader's events to the running payment first, and then to all subscribers.
final class EventRelay: Sendable {
    typealias Handler = @Sendable (CardReaderEvent) -> Void

    let broadcast = Broadcast<CardReaderEvent>()
    private let handler = Mutex<Handler?>(nil)

    func setHandler(_ handler: Handler?) { self.handler.withLock { $0 = handler } }

    func send(_ event: CardReaderEvent) {
        handler.withLock { $0 }?(event)
        broadcast.send(event)
    }
}
