/// Where card readers come from, for example a USB bus: finds them, tells of those that come and go, opens one.
public protocol CardReaderSource: Sendable {
    /// Under which name readers of this source are looked for.
    var discoveryMethod: CardReaderDiscoveryMethod { get }

    /// The kinds of reader that it can open.
    var readerTypes: Set<CardReaderType> { get }

    /// The readers that are there now.
    func readers() async throws(UnderlyingError) -> [CardReader]

    /// Arrivals and departures from the call on. Ends when its consumer stops.
    func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable

    /// Opens a reader that ``readers()`` or ``changes()`` told of.
    func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession
}
