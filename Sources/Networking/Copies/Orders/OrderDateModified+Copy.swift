// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderDateModified.swift: change that, not this.
public import Determinism

extension OrderDateModified {
    /// The same with other values for what is given; what is nil stays.
    public func copy(dateModifiedGMT: Timestamp? = nil) -> OrderDateModified {
        OrderDateModified(dateModifiedGMT: dateModifiedGMT ?? self.dateModifiedGMT)
    }
}
