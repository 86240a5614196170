internal import Synchronization

/// Brings what happens at the reader to everybody who listens, and first to the payment that is running.
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
