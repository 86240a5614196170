internal import Networking
internal import Storage

/// The store site that somebody is signed in to, as payments of its orders need it.
public struct PaymentSite: Sendable {
    let context: StoreContext
    public let siteID: Int64
    /// The site's address, with WordPress.com in front of it WordPress.com's and the site's number. The journal keeps it with a payment, so that another site is never told of it.
    public let address: String
    /// The store's name, for receipts.
    public let name: String?

    public init(context: StoreContext, siteID: Int64, address: String, name: String? = nil) {
        (self.context, self.siteID, self.address, self.name) = (context, siteID, address, name)
    }

    /// The store that is chosen in a session; nil when none is.
    public init?(_ session: SiteSession) {
        let signIn = session.signIn
        guard let siteID = signIn.siteID else { return nil }
        self.init(
            context: session.context, siteID: siteID,
            address: signIn.credentials.directSite?.withoutQuery ?? "\(signIn.dotcom.withoutQuery)#\(siteID)",
            name: session.site?.name)
    }

    /// Whether a payment is for an order of this site: another one may have an order of the same number.
    func covers(_ capture: SiteCapture, of payment: Storage.Payment) -> Bool {
        siteID == payment.siteID && address == capture.siteAddress
    }

    var orders: OrdersRemote { OrdersRemote(context.sender) }

    func remote(_ gateway: PaymentGatewayExtension) -> any CardPresentRemote {
        switch gateway {
        case .wcpay: WCPayRemote(context.sender)
        case .stripe: StripeRemote(context.sender)
        }
    }
}
