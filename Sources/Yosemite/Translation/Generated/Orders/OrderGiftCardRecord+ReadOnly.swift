// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderGiftCard.swift: change that, not this.
public import Networking
public import Storage

extension OrderGiftCardRecord: ReadOnlyConvertible {
    public init(_ model: OrderGiftCard) {
        self.init(id: model.id, code: model.code, amount: model.amount)
    }

    public func toReadOnly() throws -> OrderGiftCard {
        OrderGiftCard(id: id, code: code, amount: amount)
    }
}
