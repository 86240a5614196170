/// Why the till could not begin what it was asked for.
public enum TillError: Error, Hashable, CustomStringConvertible {
    case noReader
    case noStore

    public var description: String {
        switch self {
        case .noReader: "no reader is plugged in"
        case .noStore: "nobody is signed in to a store"
        }
    }
}
