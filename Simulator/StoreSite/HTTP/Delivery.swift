/// What becomes of an answer on its way.
public enum Delivery: Hashable, Sendable {
    case whole
    /// The connection ends before the first byte of the answer.
    case cut
    /// The connection ends after so many bytes of the body, although more were announced.
    case truncated(Int)
    /// The body comes at so many bytes a second.
    case slow(bytesPerSecond: Int)
}
