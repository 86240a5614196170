internal import ArgumentParser

/// `customers`
struct CustomersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "Shows, searches and brings the store's customers.",
        discussion: """
            Customers are all who have bought something, with an account at the store or without. Those with an account \
            are named by its number.
            """,
        subcommands: [ListCustomers.self, ShowCustomer.self, SearchCustomers.self, SyncCustomers.self])
}
