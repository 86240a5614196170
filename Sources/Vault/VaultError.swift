public import Files

/// Why secrets cannot be kept, or what is kept cannot be read. None of it is in the text.
public enum VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    case file(FileStorageError)
    /// The kernel keeps no keys for this user, or refuses this one.
    case keyring(FileError)
    /// What is kept is not what should be; the text says what is wrong, without what stands there.
    case malformed(place: String, reason: String)
    /// A newer program keeps it.
    case newerVersion(place: String, found: Int)

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .keyring(let error):
            "the kernel's keyring cannot be used (\(error)): keep the credentials in a file, with 'store.credentials: "
                + "file' in the configuration"
        case .malformed(let place, let reason):
            "the credentials in \(place) cannot be used, because \(reason): sign out with 'cardpresent logout', and in again"
        case .newerVersion(let place, let found):
            "the credentials in \(place) have version \(found), which this program does not know: use the newer program"
        }
    }
}
