public import Determinism

/// What the file system says of a file.
public struct FileStatus: Hashable, Sendable {
    /// The permission bits, the low twelve of `st_mode`.
    public var mode: UInt32
    public var owner: UInt32
    public var group: UInt32
    public var isDirectory: Bool
    /// When its contents were last changed.
    public var modified: Timestamp

    public init(mode: UInt32, owner: UInt32, group: UInt32, isDirectory: Bool, modified: Timestamp) {
        (self.mode, self.owner, self.group) = (mode, owner, group)
        (self.isDirectory, self.modified) = (isDirectory, modified)
    }
}
