/// The reason why the till could not start an operation.
public enum TillError: Error, Hashable, CustomStringConvertible {
    case noReader
    case noStore

    public var description: String {
        switch self {
        case .noReader: "no reader is plugged in"
        case .noStore: "not signed in to a store"
        }
    }
}
