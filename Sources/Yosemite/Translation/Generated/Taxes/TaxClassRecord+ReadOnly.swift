// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxClass.swift: change that, not this.
public import Networking
public import Storage

extension TaxClassRecord: ReadOnlyConvertible {
    public init(_ model: TaxClass) {
        self.init(siteID: model.siteID, slug: model.slug, name: model.name)
    }

    public func toReadOnly() throws -> TaxClass {
        TaxClass(siteID: siteID, slug: slug, name: name)
    }
}

extension TaxClass: ReadOnlyType {
    public typealias Record = TaxClassRecord

    public func isReadOnlyRepresentation(of record: TaxClassRecord) -> Bool {
        siteID == record.siteID && slug == record.slug
    }
}
