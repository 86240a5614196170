/// Why bytes are not a data object list, and at which offset.
public enum DataObjectListError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The list ends inside a tag or before a length.
    case truncated(offset: Int)
    /// A tag of more than four bytes.
    case tagTooLong(offset: Int)
    /// The entry at the offset makes the list ask for more bytes than a command carries.
    case asksForTooMuch(offset: Int)

    public var description: String {
        switch self {
        case .truncated(let offset): "data object list ends early, at offset \(offset)"
        case .tagTooLong(let offset): "tag of more than four bytes at offset \(offset) of a data object list"
        case .asksForTooMuch(let offset):
            "data object list asks for more than a command carries, at offset \(offset)"
        }
    }
}
