/// A reader came or went.
public enum CardReaderChange: Hashable, Sendable {
    case arrived(CardReader)
    case left(CardReader)

    /// The reader that it is about.
    public var reader: CardReader {
        switch self {
        case .arrived(let reader), .left(let reader): reader
        }
    }
}
