internal import Networking

/// Why a gift card does not pay for an order.
public enum GiftCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store refuses the card; the text is the store's. Nothing was changed.
    case cannotApply(String)
    /// The store cannot read the code. Nothing was changed.
    case invalid(String)
    /// The order was saved without the card: the store knows no gift cards.
    case notApplied(orderID: Int64)

    public var description: String {
        switch self {
        case .cannotApply(let reason): "the gift card cannot be applied: \(reason)"
        case .invalid(let reason): "this is no gift card's code: \(reason)"
        case .notApplied(let orderID):
            "order \(orderID) was saved without the gift card: the store has no plug-in for gift cards"
        }
    }

    /// Nil when the store says something else.
    init?(_ error: NetworkError) {
        guard case .service(let service) = error else { return nil }
        switch service.code {
        case "woocommerce_rest_gift_card_cannot_apply": self = .cannotApply(service.message ?? "no reason given")
        case "woocommerce_rest_gift_card_cannot_parse_data": self = .invalid(service.message ?? "no reason given")
        default: return nil
        }
    }
}
