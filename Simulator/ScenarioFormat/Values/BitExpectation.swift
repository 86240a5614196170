/// Bits by their names that must be set, and that must not.
public struct BitExpectation: Hashable, Sendable {
    public var set: [String]
    public var clear: [String]

    public init(set: [String], clear: [String]) {
        (self.set, self.clear) = (set, clear)
    }
}
