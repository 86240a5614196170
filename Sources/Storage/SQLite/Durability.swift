/// What a committed payment survives (SQLite's `PRAGMA synchronous` in WAL mode).
public enum Durability: Int, Sendable, CaseIterable {
    /// A crash of the program only. For measurements; never for money.
    case off = 0
    /// A crash of the program; a power cut may take the last commits. Never for money.
    case normal = 1
    /// A crash of the program or of the machine, and a power cut, when the disk keeps what it flushed.
    case full = 2
}
