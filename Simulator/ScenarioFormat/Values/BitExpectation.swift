/// Bits by their names that must be set, and that must not.
public struct BitExpectation: Hashable, Sendable {
    /// The names of bits that must be set.
    public var set: [String]
    /// The names of bits that must not.
    public var clear: [String]

    /// Names as they stand in scenario files.
    public init(set: [String], clear: [String]) {
        (self.set, self.clear) = (set, clear)
    }
}
