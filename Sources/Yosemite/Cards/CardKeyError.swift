public import Storage

/// Why cards cannot be told apart. Payments wait until it is mended: a terminal must not forget its exception file
/// without somebody's knowing.
public enum CardKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key's file is gone, and there are fingerprints that were made with it.
    case missing(path: String)
    /// The file is there and holds another database's key.
    case anotherKey(path: String)
    /// The file is there and holds no key.
    case malformed(path: String)
    /// Others than the file's owner can read it.
    case readableByOthers(path: String)
    /// The operating system refuses to read or write the file.
    case system(path: String, reason: String)
    case storage(StorageError)

    private static let wayOut =
        "restore it from the backup of the database, or give the exception file up with 'cardpresent exceptions "
        + "remove --all'"

    public var description: String {
        switch self {
        case .missing(let path):
            "the key of the exception file is not there ('\(path)'), and without it no card is found: \(Self.wayOut)"
        case .anotherKey(let path): "'\(path)' is the key of another database: \(Self.wayOut)"
        case .malformed(let path): "'\(path)' is no key of an exception file: \(Self.wayOut)"
        case .readableByOthers(let path):
            "others can read the key '\(path)': take their rights away with 'chmod 600'"
        case .system(let path, let reason):
            "cannot use the key of the exception file '\(path)': \(reason); make it readable for this user"
        case .storage(let error): error.description
        }
    }
}
