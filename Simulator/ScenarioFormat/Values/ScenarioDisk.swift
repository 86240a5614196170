/// What the disk under the till's records is like.
public enum ScenarioDisk: String, Hashable, Sendable, CaseIterable {
    /// Everything is read and written.
    case working
    /// Nothing more can be written.
    case full
    /// Nothing can be written.
    case readOnly
    /// A flush takes a second.
    case slow
    /// Nothing can be read or written.
    case failing
}
