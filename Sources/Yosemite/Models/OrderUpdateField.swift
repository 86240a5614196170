/// A part of an order that can be changed by itself.
public enum OrderUpdateField: String, Hashable, Sendable, CaseIterable {
    case customerNote, shippingAddress, billingAddress, fees, shippingLines, couponLines, items, status, customerID
    case paymentMethodID, paymentMethodTitle
}
