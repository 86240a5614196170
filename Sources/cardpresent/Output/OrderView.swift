internal import Amounts
internal import Determinism
internal import Networking

/// An order as JSON, as lists show it.
struct OrderView: Encodable, Sendable {
    var id: Int64
    var site: Int64
    /// What the customer sees.
    var number: String
    var status: String
    var currency: String
    /// As the store writes it.
    var total: String
    /// In minor units; null when the currency has none that would do.
    @Nullable var amount: Int64? = nil
    /// Whether the customer has still to pay.
    var isPaymentDue: Bool
    @Nullable var customer: Int64? = nil
    @Nullable var name: String? = nil
    @Nullable var email: String? = nil
    var items: Int
    var paymentMethod: String
    @Nullable var createdAt: String? = nil
    @Nullable var modifiedAt: String? = nil
    @Nullable var paidAt: String? = nil

    init(_ order: Order) {
        (id, site, number, status) = (order.id, order.siteID, order.number, order.status.rawValue)
        (currency, total) = (order.currency, order.total.description)
        amount = try? order.amount().minorUnits
        isPaymentDue = order.isPaymentDue
        customer = order.customerID.flatMap { $0 > 0 ? $0 : nil }
        (name, email) = (order.billing?.fullName, order.billing?.knownEmail)
        (items, paymentMethod) = (order.lineItems.count, order.paymentMethod)
        createdAt = order.dateCreatedGMT?.description
        modifiedAt = order.dateModifiedGMT?.description
        paidAt = order.datePaidGMT?.description
    }
}

extension Address {
    /// Nil when there is none.
    var fullName: String? {
        let name = [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? (company.isEmpty ? nil : company) : name
    }

    /// Nil when there is none.
    var knownEmail: String? { email.flatMap { $0.isEmpty ? nil : $0 } }
}
