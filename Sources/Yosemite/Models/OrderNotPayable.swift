public import Amounts

/// Why an order cannot be paid with a card at the till.
public enum OrderNotPayable: Error, Hashable, Sendable, CustomStringConvertible {
    case alreadyPaid(orderID: Int64)
    /// The total is zero.
    case nothingToPay(orderID: Int64)
    case hasRefunds(orderID: Int64)
    case wrongStatus(orderID: Int64, status: String)
    /// Its customer chose to pay in another way.
    case otherMethod(orderID: Int64, method: String)
    /// Its total is no amount of its currency.
    case unusableTotal(orderID: Int64, MoneyError)
    /// The gateway's account does not take the currency.
    case currencyNotSupported(orderID: Int64, currency: String, supported: [String])
    /// It costs something else than the customer was told.
    case totalChanged(orderID: Int64, from: Money, to: Money)

    public var description: String {
        switch self {
        case .alreadyPaid(let order): "order \(order) is paid already"
        case .nothingToPay(let order): "order \(order) has a total of zero: there is nothing to pay"
        case .hasRefunds(let order): "order \(order) has refunds: it cannot be paid again"
        case .wrongStatus(let order, let status):
            "order \(order) is \(status): only a pending, on-hold, processing or failed order can be paid"
        case .otherMethod(let order, let method): "order \(order) is to be paid with '\(method)', not with a card here"
        case .unusableTotal(let order, let error): "the total of order \(order) cannot be paid: \(error)"
        case .currencyNotSupported(let order, let currency, let supported):
            "order \(order) is in \(currency), and the payment gateway takes \(supported.joined(separator: ", "))"
        case .totalChanged(let order, let from, let to):
            "order \(order) costs \(to) now, and not \(from): tell the customer, and begin again"
        }
    }
}
