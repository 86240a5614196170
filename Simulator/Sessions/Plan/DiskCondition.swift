/// How the disk is that the journal is on. What it refuses is rolled back by the database itself.
public enum DiskCondition: Hashable, Sendable, Codable {
    /// Everything is read and written.
    case working
    /// There is no room left: nothing can be written, and everything can be read.
    case full
    /// The file system is mounted read-only.
    case readOnly
    /// A flush takes this long on the session's clock.
    case slow(Duration)
    /// Nothing can be read or written.
    case failing
}
