/// What is wrong with an application file locator; entries count from 0 (EMV Book 3 §7.5).
public enum AFLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Empty, longer than 252 bytes, or no multiple of four bytes.
    case length(Int)
    /// A short file identifier outside 1...30.
    case file(entry: Int)
    /// A first record of 0, or a last record before the first.
    case records(entry: Int)
    /// More records to authenticate than there are.
    case authenticatedCount(entry: Int)

    public var description: String {
        switch self {
        case .length(let count): "an application file locator of \(count) bytes"
        case .file(let entry): "the application file locator names no valid file in entry \(entry)"
        case .records(let entry): "the application file locator names no valid records in entry \(entry)"
        case .authenticatedCount(let entry):
            "the application file locator authenticates more records than it names in entry \(entry)"
        }
    }
}
