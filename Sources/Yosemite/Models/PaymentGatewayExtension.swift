/// The extensions of WooCommerce that take card-present payments.
public enum PaymentGatewayExtension: String, Hashable, Sendable, Codable, CaseIterable {
    case wcpay = "woocommerce-payments"
    case stripe = "woocommerce-stripe"
}
