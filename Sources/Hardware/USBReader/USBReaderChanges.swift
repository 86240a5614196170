internal import USB

/// The arrivals and departures of a USB bus as those of the readers in its devices: a device with several reader
/// interfaces brings several readers.
struct USBReaderChanges: AsyncSequence, Sendable {
    typealias Element = CardReaderChange
    typealias Failure = Never

    let events: AsyncStream<USBHotplugEvent>
    /// The readers in a device.
    let readers: @Sendable (USBDevice) -> [CardReader]

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: AsyncStream<USBHotplugEvent>.Iterator
        fileprivate let readers: @Sendable (USBDevice) -> [CardReader]
        /// Changes of the last event that were not handed out yet.
        private var pending: ArraySlice<CardReaderChange> = []

        fileprivate init(
            _ events: AsyncStream<USBHotplugEvent>, _ readers: @escaping @Sendable (USBDevice) -> [CardReader]
        ) {
            (self.events, self.readers) = (events.makeAsyncIterator(), readers)
        }

        mutating func next() async -> CardReaderChange? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> CardReaderChange? {
            while pending.isEmpty {
                guard let event = await events.next(isolation: actor) else { return nil }
                switch event {
                case .arrived(let device):
                    pending = readers(device).map(CardReaderChange.arrived)[...]
                case .left(let device):
                    pending = readers(device).map(CardReaderChange.left)[...]
                }
            }
            return pending.popFirst()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(events, readers) }
}
