internal import ArgumentParser
internal import Yosemite

/// `orders note`
struct AddOrderNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Writes a note about an order.",
        discussion: "The shop's people see it; with --customer the store sends it to the customer too.")

    @Argument(help: OrderName.help)
    var order: OrderName
    @Argument(help: "The note.")
    var text: String
    @Flag(help: "Send it to the customer.")
    var customer = false
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !text.allSatisfy(\.isWhitespace) else { throw ValidationError("the note is empty") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let note: OrderNote
            do throws(CommandFailure) {
                note = try await shop.change(
                    advice: "the note may be there: 'cardpresent orders notes \(order.id)' shows it"
                ) {
                    OrderNoteAction.addOrderNote(
                        siteID: shop.siteID, orderID: order.id, isCustomerNote: customer, note: text, onCompletion: $0)
                }
            } catch {
                throw error.code == "not_found" ? CommandFailure(noOrder: order) : error
            }
            let view = OrderNoteView(note)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}
