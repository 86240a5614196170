internal import Amounts
internal import ArgumentParser
internal import Networking

/// Goods of a new order: `PRODUCT` or `PRODUCT:QUANTITY`.
struct OrderItemOption: ExpressibleByArgument, Hashable, Sendable {
    let item: OrderChanges.Item

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let product = parts.first.flatMap({ Int64($0) }), product > 0 else { return nil }
        guard let quantity = parts.count == 2 ? ExactDecimal(parts[1]) : ExactDecimal(coefficient: 1),
            !quantity.isNegative, quantity != .zero
        else { return nil }
        item = OrderChanges.Item(productID: product, quantity: quantity)
    }
}

/// A fee of a new order: `NAME=AMOUNT`.
struct OrderFeeOption: ExpressibleByArgument, Hashable, Sendable {
    let name: String
    let amount: ExactDecimal

    init?(argument: String) {
        // The name may hold an equals sign, the amount does not.
        guard let equals = argument.lastIndex(of: "="), equals != argument.startIndex,
            let amount = ExactDecimal(argument[argument.index(after: equals)...]), !amount.isNegative
        else { return nil }
        (name, self.amount) = (String(argument[..<equals]), amount)
    }
}
