/// Why a file of ``FileStorage`` cannot be read or written. Whatever the case, it is as it was.
public enum FileStorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A link, a folder or a device.
    case notARegularFile(path: String)
    /// Other users than its owner may read or write it.
    case openToOthers(path: String)
    /// Another user made it.
    case belongsToAnother(path: String)
    /// In bytes.
    case tooLong(path: String, limit: Int)
    /// Another process has held its lock for seconds.
    case busy(path: String)
    /// What is in it is not what should be; the text says what is wrong, without what stands there.
    case malformed(path: String, reason: String)
    /// A newer program wrote it.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The system refuses; `doing` is a verb.
    case system(path: String, doing: String, FileError)

    public var description: String {
        switch self {
        case .notARegularFile(let path): "'\(path)' is a link, a folder or a device: move it away"
        case .openToOthers(let path):
            "others than you may use '\(path)': take their rights away with 'chmod 600 \(path)'"
        case .belongsToAnother(let path): "'\(path)' belongs to another user: move it away"
        case .tooLong(let path, let limit): "'\(path)' is longer than \(limit) bytes: move it away"
        case .busy(let path): "another program is busy with '\(path)': try again"
        case .malformed(let path, let reason): "'\(path)' cannot be used, because \(reason): mend it, or move it away"
        case .newerVersion(let path, let found, let supported):
            "'\(path)' has version \(found), and this program knows versions up to \(supported): use the newer program"
        case .system(let path, let doing, let error):
            "cannot \(doing) '\(path)': \(error); give this user the right to, or name another folder"
        }
    }
}
