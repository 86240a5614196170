/// An order of a store site, as far as the journal has to know it.
public struct OrderToPay: Hashable, Sendable {
    public let siteID: Int64
    /// The site's address: whoever is signed in later may be signed in to another site.
    public let siteAddress: String
    /// The store's name, for receipts.
    public let storeName: String?
    public let orderID: Int64
    /// The order's number as the customer sees it.
    public let orderNumber: String
    /// The payment gateway that is to be told: `woocommerce-payments` or `woocommerce-stripe`.
    public let gateway: String

    public init(
        siteID: Int64, siteAddress: String, storeName: String?, orderID: Int64, orderNumber: String, gateway: String
    ) {
        (self.siteID, self.siteAddress, self.storeName) = (siteID, siteAddress, storeName)
        (self.orderID, self.orderNumber, self.gateway) = (orderID, orderNumber, gateway)
    }
}
