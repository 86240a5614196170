// Made by Scripts/generate from Sources/Yosemite/Models/SynchronizationMark.swift: change that, not this.
public import Determinism

extension SynchronizationMark {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        entity: String? = nil,
        synchronizedAt: Timestamp? = nil,
        modifiedUpTo: Timestamp?? = nil
    ) -> SynchronizationMark {
        SynchronizationMark(
            siteID: siteID ?? self.siteID,
            entity: entity ?? self.entity,
            synchronizedAt: synchronizedAt ?? self.synchronizedAt,
            modifiedUpTo: modifiedUpTo ?? self.modifiedUpTo)
    }
}
