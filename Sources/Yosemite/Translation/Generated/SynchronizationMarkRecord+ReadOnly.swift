// Made by Scripts/generate from Sources/Yosemite/Models/SynchronizationMark.swift: change that, not this.
public import Storage

extension SynchronizationMarkRecord: ReadOnlyConvertible {
    public init(_ model: SynchronizationMark) {
        self.init(
            siteID: model.siteID,
            entity: model.entity,
            synchronizedAt: model.synchronizedAt,
            modifiedUpTo: model.modifiedUpTo)
    }

    public func toReadOnly() throws -> SynchronizationMark {
        SynchronizationMark(siteID: siteID, entity: entity, synchronizedAt: synchronizedAt, modifiedUpTo: modifiedUpTo)
    }
}

extension SynchronizationMark: ReadOnlyType {
    public typealias Record = SynchronizationMarkRecord

    public func isReadOnlyRepresentation(of record: SynchronizationMarkRecord) -> Bool {
        siteID == record.siteID && entity == record.entity
    }
}
