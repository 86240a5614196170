internal import Glibc

/// Why the system does not give a file, a directory or a link.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// errno
    public let code: Int32

    public init(code: Int32) { self.code = code }

    /// What the system says to it: `No such file or directory`.
    public var description: String { String(cString: strerror(code)) }
}
