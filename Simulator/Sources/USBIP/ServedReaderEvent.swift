/// What happened at readers that others use.
public enum ServedReaderEvent: Hashable, Sendable {
    case plugged(busID: String)
    case unplugged(busID: String)
    case cardInserted(ReaderOrder.Place)
    /// Somebody pulled the card out, or it came out as its profile says.
    case cardRemoved(ReaderOrder.Place)
    /// A card was drawn through a reader for magnetic stripes.
    case swiped(busID: String)
    /// A card was powered, or reset while it had power. The answer is the card's own, and empty from a mute one.
    case reset(ReaderOrder.Place, answerToReset: [UInt8], isWarm: Bool)
    /// A command, by its number since the readers were made, its instruction byte and the card's status word; the
    /// status is nil when the card stayed mute. Command and answer themselves may hold card data.
    case command(ReaderOrder.Place, number: Int, instruction: UInt8, status: UInt16?)
    case poweredOff(ReaderOrder.Place)
}
