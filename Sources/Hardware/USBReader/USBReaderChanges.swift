internal import CCID
internal import USB

/// The arrivals and departures of a USB bus as those of the readers in its devices: a device with several reader
/// interfaces brings several readers.
struct USBReaderChanges: AsyncSequence, Sendable {
    typealias Element = CardReaderChange
    typealias Failure = Never

    let events: AsyncStream<USBHotplugEvent>
    let quirks: ReaderQuirkTable

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: AsyncStream<USBHotplugEvent>.Iterator
        fileprivate let quirks: ReaderQuirkTable
        /// Changes of the last event that were not handed out yet.
        private var pending: ArraySlice<CardReaderChange> = []

        fileprivate init(_ events: AsyncStream<USBHotplugEvent>, _ quirks: ReaderQuirkTable) {
            (self.events, self.quirks) = (events.makeAsyncIterator(), quirks)
        }

        mutating func next() async -> CardReaderChange? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> CardReaderChange? {
            while pending.isEmpty {
                guard let event = await events.next(isolation: actor) else { return nil }
                switch event {
                case .arrived(let device):
                    pending = CardReader.all(in: device, quirks: quirks).map(CardReaderChange.arrived)[...]
                case .left(let device):
                    pending = CardReader.all(in: device, quirks: quirks).map(CardReaderChange.left)[...]
                }
            }
            return pending.popFirst()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(events, quirks) }
}
