internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `customers show`
struct ShowCustomer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Asks the store for a customer with an account, and shows the addresses.")

    @Argument(help: "The number of the account.")
    var customer: Int64
    @Flag(help: "Show what is stored here, and ask nobody.")
    var stored = false
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard customer > 0 else { throw ValidationError("the number of an account is 1 or more") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let view = CustomerAccountView(try await load(from: shop))
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }

    private func load(from shop: Shop) async throws(CommandFailure) -> Customer {
        do throws(CommandFailure) {
            return try await shop.value { onCompletion in
                stored
                    ? CustomerAction.loadCustomer(siteID: shop.siteID, customerID: customer, onCompletion: onCompletion)
                    : CustomerAction.retrieveCustomer(
                        siteID: shop.siteID, customerID: customer, onCompletion: onCompletion)
            }
        } catch {
            guard error.code == "not_found" else { throw error }
            throw CommandFailure(
                .badData, code: "unknown_customer",
                message: stored
                    ? "customer \(customer) is not stored here"
                    : "the store has no customer with the account \(customer)",
                fix: stored
                    ? "ask the store: 'cardpresent customers show \(customer)'"
                    : "'cardpresent customers search NAME' finds customers; guests have no account to show")
        }
    }
}
