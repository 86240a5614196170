// Made by Scripts/generate from Sources/Networking/Models/Orders/Order.swift: change that, not this.
public import Networking
public import Storage

extension OrderRecord: ReadOnlyConvertible {
    public init(_ model: Order) {
        self.init(
            siteID: model.siteID,
            id: model.id,
            parentID: model.parentID,
            customerID: model.customerID,
            orderKey: model.orderKey,
            number: model.number,
            status: model.status.rawValue,
            currency: model.currency,
            currencySymbol: model.currencySymbol,
            customerNote: model.customerNote,
            dateCreatedGMT: model.dateCreatedGMT,
            dateModifiedGMT: model.dateModifiedGMT,
            datePaidGMT: model.datePaidGMT,
            dateCompletedGMT: model.dateCompletedGMT,
            discountTotal: model.discountTotal,
            discountTax: model.discountTax,
            shippingTotal: model.shippingTotal,
            shippingTax: model.shippingTax,
            total: model.total,
            totalTax: model.totalTax,
            paymentMethod: model.paymentMethod,
            paymentMethodTitle: model.paymentMethodTitle,
            paymentURL: model.paymentURL,
            transactionID: model.transactionID,
            billingFirstName: model.billing?.firstName,
            billingLastName: model.billing?.lastName,
            billingCompany: model.billing?.company,
            billingAddress1: model.billing?.address1,
            billingAddress2: model.billing?.address2,
            billingCity: model.billing?.city,
            billingState: model.billing?.state,
            billingPostcode: model.billing?.postcode,
            billingCountry: model.billing?.country,
            billingPhone: model.billing?.phone,
            billingEmail: model.billing?.email,
            shippingFirstName: model.shipping?.firstName,
            shippingLastName: model.shipping?.lastName,
            shippingCompany: model.shipping?.company,
            shippingAddress1: model.shipping?.address1,
            shippingAddress2: model.shipping?.address2,
            shippingCity: model.shipping?.city,
            shippingState: model.shipping?.state,
            shippingPostcode: model.shipping?.postcode,
            shippingCountry: model.shipping?.country,
            shippingPhone: model.shipping?.phone,
            shippingEmail: model.shipping?.email,
            isEditable: model.isEditable,
            needsPayment: model.needsPayment,
            lineItems: model.lineItems.map(OrderItemRecord.init),
            shippingLines: model.shippingLines.map(ShippingLineRecord.init),
            couponLines: model.couponLines.map(OrderCouponLineRecord.init),
            refunds: model.refunds.map(OrderRefundCondensedRecord.init),
            feeLines: model.feeLines.map(OrderFeeLineRecord.init),
            taxLines: model.taxLines.map(OrderTaxLineRecord.init),
            metaData: model.metaData.map(MetaDataRecord.init),
            giftCards: model.giftCards.map(OrderGiftCardRecord.init))
    }

    public func toReadOnly() throws -> Order {
        try Order(
            siteID: siteID,
            id: id,
            parentID: parentID,
            customerID: customerID,
            orderKey: orderKey,
            number: number,
            status: OrderStatusEnum(rawValue: status),
            currency: currency,
            currencySymbol: currencySymbol,
            customerNote: customerNote,
            dateCreatedGMT: dateCreatedGMT,
            dateModifiedGMT: dateModifiedGMT,
            datePaidGMT: datePaidGMT,
            dateCompletedGMT: dateCompletedGMT,
            discountTotal: discountTotal,
            discountTax: discountTax,
            shippingTotal: shippingTotal,
            shippingTax: shippingTax,
            total: total,
            totalTax: totalTax,
            paymentMethod: paymentMethod,
            paymentMethodTitle: paymentMethodTitle,
            paymentURL: paymentURL,
            transactionID: transactionID,
            lineItems: lineItems.map { try $0.toReadOnly() },
            billing: readBilling(),
            shipping: readShipping(),
            shippingLines: shippingLines.map { try $0.toReadOnly() },
            couponLines: couponLines.map { try $0.toReadOnly() },
            refunds: refunds.map { try $0.toReadOnly() },
            feeLines: feeLines.map { try $0.toReadOnly() },
            taxLines: taxLines.map { try $0.toReadOnly() },
            metaData: metaData.map { try $0.toReadOnly() },
            giftCards: giftCards.map { try $0.toReadOnly() },
            isEditable: isEditable,
            needsPayment: needsPayment)
    }

    private func readBilling() throws -> Address? {
        guard billingFirstName != nil else { return nil }
        return try Address(
            firstName: required(billingFirstName, "billingFirstName"),
            lastName: required(billingLastName, "billingLastName"),
            company: required(billingCompany, "billingCompany"),
            address1: required(billingAddress1, "billingAddress1"),
            address2: required(billingAddress2, "billingAddress2"),
            city: required(billingCity, "billingCity"),
            state: required(billingState, "billingState"),
            postcode: required(billingPostcode, "billingPostcode"),
            country: required(billingCountry, "billingCountry"),
            phone: billingPhone,
            email: billingEmail)
    }

    private func readShipping() throws -> Address? {
        guard shippingFirstName != nil else { return nil }
        return try Address(
            firstName: required(shippingFirstName, "shippingFirstName"),
            lastName: required(shippingLastName, "shippingLastName"),
            company: required(shippingCompany, "shippingCompany"),
            address1: required(shippingAddress1, "shippingAddress1"),
            address2: required(shippingAddress2, "shippingAddress2"),
            city: required(shippingCity, "shippingCity"),
            state: required(shippingState, "shippingState"),
            postcode: required(shippingPostcode, "shippingPostcode"),
            country: required(shippingCountry, "shippingCountry"),
            phone: shippingPhone,
            email: shippingEmail)
    }
}

extension Order: ReadOnlyType {
    public typealias Record = OrderRecord

    public func isReadOnlyRepresentation(of record: OrderRecord) -> Bool {
        siteID == record.siteID && id == record.id
    }
}
