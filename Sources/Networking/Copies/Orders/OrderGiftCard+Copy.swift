// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderGiftCard.swift: change that, not this.
public import Amounts

extension OrderGiftCard {
    /// The same with other values for what is given; what is nil stays.
    public func copy(id: Int64? = nil, code: String? = nil, amount: ExactDecimal? = nil) -> OrderGiftCard {
        OrderGiftCard(id: id ?? self.id, code: code ?? self.code, amount: amount ?? self.amount)
    }
}
