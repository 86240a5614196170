// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderNote.swift: change that, not this.
public import Networking
public import Storage

extension OrderNoteRecord: ReadOnlyConvertible {
    public init(_ model: OrderNote) {
        self.init(
            siteID: model.siteID,
            orderID: model.orderID,
            id: model.id,
            dateCreatedGMT: model.dateCreatedGMT,
            note: model.note,
            customerNote: model.customerNote,
            author: model.author)
    }

    public func toReadOnly() throws -> OrderNote {
        OrderNote(
            siteID: siteID,
            orderID: orderID,
            id: id,
            dateCreatedGMT: dateCreatedGMT,
            note: note,
            customerNote: customerNote,
            author: author)
    }
}

extension OrderNote: ReadOnlyType {
    public typealias Record = OrderNoteRecord

    public func isReadOnlyRepresentation(of record: OrderNoteRecord) -> Bool {
        siteID == record.siteID && id == record.id
    }
}
