// Made by Scripts/generate from Sources/Networking/Models/Orders/Order.swift: change that, not this.
public import Networking

extension Order: Fakeable {
    public static func fake(from source: inout FakeSource) -> Order {
        Order(
            siteID: .fake(from: &source),
            id: .fake(from: &source),
            parentID: .fake(from: &source),
            customerID: .fake(from: &source),
            orderKey: .fake(from: &source),
            number: .fake(from: &source),
            status: .fake(from: &source),
            currency: .fake(from: &source),
            currencySymbol: .fake(from: &source),
            customerNote: .fake(from: &source),
            dateCreatedGMT: .fake(from: &source),
            dateModifiedGMT: .fake(from: &source),
            datePaidGMT: .fake(from: &source),
            dateCompletedGMT: .fake(from: &source),
            discountTotal: .fake(from: &source),
            discountTax: .fake(from: &source),
            shippingTotal: .fake(from: &source),
            shippingTax: .fake(from: &source),
            total: .fake(from: &source),
            totalTax: .fake(from: &source),
            paymentMethod: .fake(from: &source),
            paymentMethodTitle: .fake(from: &source),
            paymentURL: .fake(from: &source),
            transactionID: .fake(from: &source),
            lineItems: .fake(from: &source),
            billing: .fake(from: &source),
            shipping: .fake(from: &source),
            shippingLines: .fake(from: &source),
            couponLines: .fake(from: &source),
            refunds: .fake(from: &source),
            feeLines: .fake(from: &source),
            taxLines: .fake(from: &source),
            metaData: .fake(from: &source),
            giftCards: .fake(from: &source),
            isEditable: .fake(from: &source),
            needsPayment: .fake(from: &source))
    }
}
