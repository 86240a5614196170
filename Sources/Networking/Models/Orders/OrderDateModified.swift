public import Determinism

// @model
/// When an order was last changed: enough to know whether what is stored is still right.
public struct OrderDateModified: Codable, Hashable, Sendable {
    public let dateModifiedGMT: Timestamp

    // Made by Scripts/generate.
    public init(dateModifiedGMT: Timestamp) {
        self.dateModifiedGMT = dateModifiedGMT
    }
    // End of what was made.
}
