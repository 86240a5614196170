import ArgumentParser
import Determinism
import Money
import Networking
import Yosemite

/// `customers`
struct CustomersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "List, show, search, and sync customers.",
        discussion: """
            Customers are all buyers, with or without an account at the store. Commands take account IDs.
            """,
        subcommands: [ListCustomers.self, ShowCustomer.self, SearchCustomers.self, SyncCustomers.self])
}

/// `customers list`
struct ListCustomers: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List stored customers, most recently active first.",
        discussion: """
            EXAMPLES:
              cardpresent customers list
              cardpresent customers list --search rossi --limit 20

            Works offline. 'cardpresent customers sync' updates the local copy.
            """)

    @Option(
        help: ArgumentHelp(
            "Only customers with this text in the name, user name, or email address.", valueName: "text"))
    var search: String?
    @OptionGroup var list: LongListOptions
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let customers: [WCAnalyticsCustomer] = try await shop.value {
            CustomerAction.loadCustomers(siteID: shop.siteID, text: search, limit: list.limit, onCompletion: $0)
        }
        let currency = output.json ? try await shop.currency() : nil
        try output.write(
            table: customers.map { CustomerRow(customer: $0, currency: currency) },
            whenEmpty: "No matching customers. Run 'cardpresent customers sync' to update.")
    }
}

/// `customers search`
struct SearchCustomers: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search customers at the store.",
        discussion: """
            EXAMPLES:
              cardpresent customers search rossi
              cardpresent customers search diego@shop.example --in email

            The results are stored here.
            """)

    @OptionGroup var search: SearchOptions
    @Option(name: .customLong("in"), help: ArgumentHelp("Field to search.", valueName: "place"))
    var place = CustomerSearchPlace(.all)
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let page: Page<WCAnalyticsCustomer> = try await shop.value {
            CustomerAction.searchWCAnalyticsCustomers(
                siteID: shop.siteID, page: search.page, keyword: search.text, filter: place.filter,
                onCompletion: $0)
        }
        Rejections.tell(page.list.rejected)
        let currency = output.json ? try await shop.currency() : nil
        try output.write(
            table: page.elements.map { CustomerRow(customer: $0, currency: currency) },
            whenEmpty: "No matching customers at the store.")
        search.announceMore(page, output)
    }
}

/// `customers show`
struct ShowCustomer: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a customer with an account.",
        discussion: """
            EXAMPLES:
              cardpresent customers show 2
              cardpresent customers show 2 --stored
            """)

    @Argument(help: "Account ID.")
    var customer: Int64
    @Flag(help: "Use the local copy instead of asking the store.")
    var stored = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard customer > 0 else { throw ValidationError("the account ID must be at least 1") }
    }

    func execute(in shop: Shop) async throws {
        try output.write(try await load(from: shop))
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
                    : "the store has no customer with account \(customer)",
                fix: stored
                    ? "run 'cardpresent customers show \(customer)' to ask the store"
                    : "find customers with 'cardpresent customers search NAME'; guests have no account")
        }
    }
}

/// `customers sync`
struct SyncCustomers: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync customers from the store.",
        discussion: """
            EXAMPLES:
              cardpresent customers sync
              cardpresent customers sync --pages 2

            Reads all customers, with or without an account, and removes those deleted at the store. Each page of 100 \
            customers is saved at once, so Ctrl-C loses none of them.
            """)

    @OptionGroup var limits: SynchronizationOptions
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let report = try await SynchronizationDisplay(of: "customers").watching { show in
            try await shop.value {
                CustomerAction.synchronizeEveryCustomer(
                    siteID: shop.siteID, pageLimit: limits.pages, onProgress: show, onCompletion: $0)
            }
        } onCancel: {
            try? shop.stores.dispatch(CustomerAction.cancelSynchronization(siteID: shop.siteID))
        }
        try report.tell(of: "customers", output)
    }
}

/// The field of a customer search.
struct CustomerSearchPlace: ExpressibleByArgument, Hashable, Sendable {
    let filter: WCAnalyticsCustomerRemote.SearchFilter

    init(_ filter: WCAnalyticsCustomerRemote.SearchFilter) { self.filter = filter }

    init?(argument: String) {
        guard let filter = WCAnalyticsCustomerRemote.SearchFilter(rawValue: argument) else { return nil }
        self.filter = filter
    }

    var defaultValueDescription: String { filter.rawValue }

    static let allValueStrings = WCAnalyticsCustomerRemote.SearchFilter.allCases.map(\.rawValue)
}

/// A customer with the store's currency, which is nil when it is unknown or not shown.
struct CustomerRow: TableRow, Sendable {
    let customer: WCAnalyticsCustomer
    let currency: Currency?

    var json: JSONObject {
        let object: JSONObject = [
            // The ID among all buyers, and the account ID; null for a guest.
            "id": customer.id, "account": accountID, "name": customer.name, "username": customer.username,
            "email": customer.email, "city": customer.city, "country": customer.country,
            "orders": customer.ordersCount,
            // As the store writes it.
            "totalSpend": customer.totalSpend?.description,
            "lastActiveAt": customer.dateLastActiveGMT?.description,
        ]
        return object.amounts(in: currency)
    }

    static var heads: [String] { ["account", "name", "email", "orders", "last active", "place"] }

    var cells: [String] {
        [
            accountID.map(String.init) ?? "guest", customer.name ?? "", customer.email ?? "",
            "\(customer.ordersCount ?? 0) orders", customer.dateLastActiveGMT?.minuteText ?? "",
            [customer.city, customer.country].compactMap { $0?.nonEmpty }.joined(separator: ", "),
        ]
    }

    private var accountID: Int64? { customer.hasAccount ? customer.userID : nil }
}

extension Customer: CommandResult {
    var json: JSONObject {
        [
            "id": id, "name": fullName, "username": username, "email": email, "role": role,
            "hasPaid": isPayingCustomer, "createdAt": dateCreatedGMT?.description, "billing": billing?.json,
            "shipping": shipping?.json,
        ]
    }

    var text: String {
        var details = DetailText("\(id)  \((fullName ?? username ?? "").harmless)")
        details.add("email", email.harmless.nonEmpty)
        details.add("user name", username?.harmless.nonEmpty)
        details.add("role", role?.harmless.nonEmpty)
        details.add("since", dateCreatedGMT?.secondText)
        details.add("has paid", isPayingCustomer ? "yes" : "no")
        details.add("billing", billing?.line)
        details.add("shipping", shipping?.line)
        return details.text
    }

    private var fullName: String? {
        [firstName, lastName].compactMap { $0?.nonEmpty }.joined(separator: " ").nonEmpty
    }
}
