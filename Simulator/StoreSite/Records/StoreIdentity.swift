/// What a site is called and where it is.
struct StoreIdentity: Sendable {
    var id: Int64
    var name: String
    var tagline: String
    /// Without a slash at its end.
    var address: String
    /// The part of the server's paths that is this site's: empty, or `/blog`.
    var folder: String
    /// Seconds east of UTC of the clock that the site shows.
    var offsetSeconds: Int
    var hasWooCommerce: Bool
    /// The Stripe extension, beside WooPayments.
    var hasStripe: Bool

    static let wooVersion = "9.3.3"

    var gmtOffset: JSONNode { .integer(offsetSeconds / 3600) }

    /// Where the customer pays for an order.
    func paymentAddress(_ order: StoredOrder) -> String {
        "\(address)/checkout/order-pay/\(order.id)/?pay_for_order=true&key=\(order.key)"
    }

    func links(_ path: String, collection: String, up: String? = nil) -> JSONNode {
        func link(_ path: String) -> JSONNode { [["href": .text("\(address)/wp-json/\(path)")]] }
        var members = [
            JSONNode.Member(name: "self", value: link(path)),
            JSONNode.Member(name: "collection", value: link(collection)),
        ]
        if let up { members.append(JSONNode.Member(name: "up", value: link(up))) }
        return .object(members)
    }

    static func symbol(_ currency: String) -> String {
        switch currency {
        case "EUR": "€"
        case "GBP": "£"
        case "JPY": "¥"
        case "USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN": "$"
        default: currency
        }
    }
}
