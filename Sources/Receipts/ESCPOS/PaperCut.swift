/// How a receipt is parted from the next one.
public enum PaperCut: String, Hashable, Sendable, CaseIterable {
    /// But for a point in the middle, so that nothing falls down.
    case partial
    case full
}
