public import Networking

/// What ``CustomerStore`` does. Every completion is called exactly once.
///
/// A ``Customer`` has an account at the store; a ``WCAnalyticsCustomer`` is anybody who has bought something.
public enum CustomerAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// One page of customers with accounts, with names and e-mail addresses alone. The first page takes the place of
    /// what is stored of the site.
    case synchronizeLightCustomersData(
        siteID: Int64, page: PageRequest = PageRequest(), orderBy: WCAnalyticsCustomerRemote.OrderBy = .name,
        direction: WCAnalyticsCustomerRemote.Direction = .ascending, withEmailOnly: Bool = false,
        onCompletion: Completion<Page<Customer>>)
    /// One page of everybody who has bought something, those who were there last first. The first page takes the place
    /// of what is stored of the site.
    case synchronizeAllCustomers(
        siteID: Int64, page: PageRequest = PageRequest(), onCompletion: Completion<Page<WCAnalyticsCustomer>>)
    /// All pages of everybody, 100 customers each, saved page by page, as one command. At its end those are forgotten
    /// whom the site has no more.
    case synchronizeEveryCustomer(
        siteID: Int64, pageLimit: Int? = nil,
        onProgress: @Sendable (SynchronizationProgress) -> Void = { _ in },
        onCompletion: Completion<SynchronizationReport>)
    /// Ends the synchronisations of a site's customers; they complete with ``StoreError/cancelled``.
    case cancelSynchronization(siteID: Int64)
    /// Customers with accounts in whom the site finds a text. They are stored, and so is who was found.
    ///
    /// - retrieveFullCustomersData: asks for each of them, to know the addresses too.
    case searchCustomers(
        siteID: Int64, page: PageRequest = PageRequest(), keyword: String,
        filter: WCAnalyticsCustomerRemote.SearchFilter = .all, retrieveFullCustomersData: Bool = false,
        onCompletion: Completion<Page<Customer>>)
    /// The same among everybody who has bought something.
    case searchWCAnalyticsCustomers(
        siteID: Int64, page: PageRequest = PageRequest(), keyword: String,
        filter: WCAnalyticsCustomerRemote.SearchFilter = .all, onCompletion: Completion<Page<WCAnalyticsCustomer>>)
    /// A customer with an account, by the number of the account. One that the site does not know is forgotten.
    case retrieveCustomer(siteID: Int64, customerID: Int64, onCompletion: Completion<Customer>)
    /// A stored customer with an account.
    case loadCustomer(siteID: Int64, customerID: Int64, onCompletion: Completion<Customer>)
    /// Stored customers, those who were there last first; `text` is a part of a name, user name or e-mail address.
    case loadCustomers(
        siteID: Int64, text: String? = nil, limit: Int? = nil, onCompletion: Completion<[WCAnalyticsCustomer]>)
    /// The stored customers with accounts that a search found last, in its order.
    case loadCustomerSearchResults(
        siteID: Int64, keyword: String, filter: WCAnalyticsCustomerRemote.SearchFilter = .all,
        onCompletion: Completion<[Customer]>)
    /// The same for everybody who has bought something.
    case loadWCAnalyticsCustomerSearchResults(
        siteID: Int64, keyword: String, filter: WCAnalyticsCustomerRemote.SearchFilter = .all,
        onCompletion: Completion<[WCAnalyticsCustomer]>)
    /// Forgets the stored customers of a site.
    case deleteAllCustomers(siteID: Int64, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .synchronizeLightCustomersData(let siteID, let page, _, _, _, _),
            .synchronizeAllCustomers(let siteID, let page, _), .searchCustomers(let siteID, let page, _, _, _, _),
            .searchWCAnalyticsCustomers(let siteID, let page, _, _, _):
            ["site": String(siteID), "page": String(page.number)]
        case .retrieveCustomer(let siteID, let customerID, _), .loadCustomer(let siteID, let customerID, _):
            ["site": String(siteID), "customer": String(customerID)]
        case .synchronizeEveryCustomer(let siteID, _, _, _), .cancelSynchronization(let siteID),
            .loadCustomers(let siteID, _, _, _), .loadCustomerSearchResults(let siteID, _, _, _),
            .loadWCAnalyticsCustomerSearchResults(let siteID, _, _, _), .deleteAllCustomers(let siteID, _):
            ["site": String(siteID)]
        }
    }
}
