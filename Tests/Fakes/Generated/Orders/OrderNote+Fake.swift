// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderNote.swift: change that, not this.
public import Networking

extension OrderNote: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderNote {
        OrderNote(
            siteID: .fake(from: &source),
            orderID: .fake(from: &source),
            id: .fake(from: &source),
            dateCreatedGMT: .fake(from: &source),
            note: .fake(from: &source),
            customerNote: .fake(from: &source),
            author: .fake(from: &source))
    }
}
