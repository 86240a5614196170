// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderGiftCard.swift: change that, not this.
public import Networking

extension OrderGiftCard: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderGiftCard {
        OrderGiftCard(id: .fake(from: &source), code: .fake(from: &source), amount: .fake(from: &source))
    }
}
