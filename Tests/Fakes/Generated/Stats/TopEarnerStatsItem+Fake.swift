// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStatsItem.swift: change that, not this.
public import Networking

extension TopEarnerStatsItem: Fakeable {
    public static func fake(from source: inout FakeSource) -> TopEarnerStatsItem {
        TopEarnerStatsItem(
            id: .fake(from: &source),
            name: .fake(from: &source),
            total: .fake(from: &source),
            quantity: .fake(from: &source),
            price: .fake(from: &source),
            image: .fake(from: &source),
            currency: .fake(from: &source))
    }
}
