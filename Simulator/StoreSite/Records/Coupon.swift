/// A coupon that the store accepts.
struct Coupon: Hashable, Sendable {
    enum Discount: Hashable, Sendable {
        case percent(Int64)
        case cart(Amount)
    }

    var id: Int64
    var code: String
    var discount: Discount

    var type: String {
        switch discount {
        case .percent: "percent"
        case .cart: "fixed_cart"
        }
    }

    var amountText: String {
        switch discount {
        case .percent(let percent): "\(percent).00"
        case .cart(let amount): amount.text
        }
    }
}
