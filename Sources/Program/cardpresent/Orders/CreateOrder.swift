import ArgumentParser
import Determinism
import Money
import Networking
import Yosemite

/// `orders create`
struct CreateOrder: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an order at the store.",
        discussion: """
            EXAMPLES:
              cardpresent orders create --item 12:2 --coupon spring
              cardpresent orders create --fee "Repair=25.00"

            The store sets prices and taxes. An order can consist of fees only. If the store's response is lost, the \
            command looks for the order among the newest ones, so that it is not created twice. Exit code 4 means that \
            the result is unknown.
            """)

    @Option(
        name: .customLong("item"),
        help: ArgumentHelp("Product ID and quantity. Can be repeated.", valueName: "product[:quantity]"))
    var items: [OrderItemOption] = []
    @Option(
        name: .customLong("fee"),
        help: ArgumentHelp("Fee with its name. Can be repeated.", valueName: "name=amount"))
    var fees: [OrderFeeOption] = []
    @Flag(help: "Add tax to the fees.")
    var taxed = false
    @Option(help: ArgumentHelp("Customer ID. Default: a guest.", valueName: "id"))
    var customer: Int64?
    @Option(help: ArgumentHelp("Note from the customer.", valueName: "text"))
    var note: String?
    @Option(help: ArgumentHelp("Initial status.", valueName: "status"))
    var status = OrderStatusName(.pending)
    @Option(
        name: .customLong("coupon"),
        help: ArgumentHelp("Coupon code. Can be repeated.", valueName: "code"))
    var coupons: [String] = []
    @Option(help: ArgumentHelp("Gift card code.", valueName: "code"))
    var giftCard: String?
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard !items.isEmpty || !fees.isEmpty else {
            throw ValidationError("the order is empty: give --item PRODUCT[:QUANTITY] or --fee NAME=AMOUNT")
        }
        guard customer ?? 1 > 0 else { throw ValidationError("--customer must be a customer ID") }
        guard status.status != .autoDraft else {
            throw ValidationError("--status: drafts can only be created in the store")
        }
    }

    func execute(in shop: Shop) async throws {
        let wanted = OrderChanges(
            status: status.status, customerID: customer, customerNote: note,
            items: items.isEmpty ? nil : items.map(\.item),
            fees: fees.isEmpty
                ? nil : fees.map { OrderChanges.Fee(name: $0.name, total: $0.amount, isTaxed: taxed) },
            coupons: coupons.isEmpty ? nil : coupons, giftCard: giftCard)
        let key = OrderCreationKey(random: SystemRandomSource())
        let order: Order = try await shop.change(
            advice: "the order may exist; run 'cardpresent orders sync' and 'cardpresent orders list' before you "
                + "create it again"
        ) {
            OrderAction.createOrder(siteID: shop.siteID, order: wanted, key: key, onCompletion: $0)
        }
        try output.write(OrderDetails(order: order))
    }
}

/// An item of a new order: `PRODUCT` or `PRODUCT:QUANTITY`.
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
        // The name may contain an equals sign, the amount may not.
        guard let equals = argument.lastIndex(of: "="), equals != argument.startIndex,
            let amount = ExactDecimal(argument[argument.index(after: equals)...]), !amount.isNegative
        else { return nil }
        (name, self.amount) = (String(argument[..<equals]), amount)
    }
}
