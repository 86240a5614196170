// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxClass.swift: change that, not this.
public import Networking

extension TaxClass: Fakeable {
    public static func fake(from source: inout FakeSource) -> TaxClass {
        TaxClass(siteID: .fake(from: &source), slug: .fake(from: &source), name: .fake(from: &source))
    }
}
