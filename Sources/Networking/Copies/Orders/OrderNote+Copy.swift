// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderNote.swift: change that, not this.
public import Determinism

extension OrderNote {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        orderID: Int64? = nil,
        id: Int64? = nil,
        dateCreatedGMT: Timestamp?? = nil,
        note: String? = nil,
        customerNote: Bool? = nil,
        author: String? = nil
    ) -> OrderNote {
        OrderNote(
            siteID: siteID ?? self.siteID,
            orderID: orderID ?? self.orderID,
            id: id ?? self.id,
            dateCreatedGMT: dateCreatedGMT ?? self.dateCreatedGMT,
            note: note ?? self.note,
            customerNote: customerNote ?? self.customerNote,
            author: author ?? self.author)
    }
}
