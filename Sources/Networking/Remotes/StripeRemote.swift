/// The Stripe extension.
public struct StripeRemote: CardPresentRemote {
    public static let gatewayID = "woocommerce-stripe"
    public static let root = "wc_stripe"
    public static let accountPath = "wc_stripe/account/summary"

    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }
}
