public import Determinism

/// When an order was last changed: enough to know whether what is stored is still right.
public struct OrderDateModified: Codable, Hashable, Sendable {
    public let dateModifiedGMT: Timestamp
}
