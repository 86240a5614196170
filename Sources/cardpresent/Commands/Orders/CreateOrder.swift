internal import ArgumentParser
internal import Determinism
internal import Networking
internal import Yosemite

/// `orders create`
struct CreateOrder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Creates an order at the store, and shows it.",
        discussion: """
            Prices and taxes are the store's. A fee alone makes an order over an amount without goods. When the answer \
            is lost, the store's newest orders are searched for this one, so that it is not created twice; exit code 4 \
            says that nobody knows.
            """)

    @Option(
        name: .customLong("item"),
        help: ArgumentHelp(
            "A product by its id, with how many of it; may be given more than once.", valueName: "product[:quantity]"))
    var items: [OrderItemOption] = []
    @Option(
        name: .customLong("fee"),
        help: ArgumentHelp(
            "An amount to be paid, with a name for it; may be given more than once.", valueName: "name=amount"))
    var fees: [OrderFeeOption] = []
    @Flag(help: "Let the store add tax to the fees.")
    var taxed = false
    @Option(help: ArgumentHelp("The customer's id. Default: a guest.", valueName: "id"))
    var customer: Int64?
    @Option(help: ArgumentHelp("What the customer has said about the order.", valueName: "text"))
    var note: String?
    @Option(help: ArgumentHelp("The status that it begins with.", valueName: "status"))
    var status = OrderStatusName(.pending)
    @Option(
        name: .customLong("coupon"),
        help: ArgumentHelp("A coupon's code; may be given more than once.", valueName: "code"))
    var coupons: [String] = []
    @Option(help: ArgumentHelp("A gift card's code.", valueName: "code"))
    var giftCard: String?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !items.isEmpty || !fees.isEmpty else {
            throw ValidationError("there is nothing to pay: give --item PRODUCT[:QUANTITY] or --fee NAME=AMOUNT")
        }
        guard customer ?? 1 > 0 else { throw ValidationError("--customer is the id of a customer") }
        guard status.status != .autoDraft else { throw ValidationError("--status: drafts belong to the store's pages") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let wanted = OrderChanges(
                status: status.status, customerID: customer, customerNote: note,
                items: items.isEmpty ? nil : items.map(\.item),
                fees: fees.isEmpty
                    ? nil : fees.map { OrderChanges.Fee(name: $0.name, total: $0.amount, isTaxed: taxed) },
                coupons: coupons.isEmpty ? nil : coupons, giftCard: giftCard)
            let key = OrderCreationKey(random: SystemRandomSource())
            let order: Order = try await shop.change(
                advice: "the order may be there: look with 'cardpresent orders sync' and 'cardpresent orders list' "
                    + "before you create it again"
            ) {
                OrderAction.createOrder(siteID: shop.siteID, order: wanted, key: key, onCompletion: $0)
            }
            let view = OrderDetailView(order)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}
