// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCharge.swift: change that, not this.
public import Networking
public import Storage

extension WCPayChargeRecord: ReadOnlyConvertible {
    public init(_ model: WCPayCharge) {
        self.init(
            siteID: model.siteID,
            id: model.id,
            amount: model.amount,
            amountCaptured: model.amountCaptured,
            amountRefunded: model.amountRefunded,
            authorizationCode: model.authorizationCode,
            captured: model.captured,
            created: model.created,
            currency: model.currency,
            paid: model.paid,
            paymentIntent: model.paymentIntent,
            paymentMethod: model.paymentMethod,
            methodType: model.paymentMethodDetails.type,
            methodCardBrand: model.paymentMethodDetails.card?.brand,
            methodCardLast4: model.paymentMethodDetails.card?.last4,
            methodCardFunding: model.paymentMethodDetails.card?.funding,
            methodCardPresentBrand: model.paymentMethodDetails.cardPresent?.brand,
            methodCardPresentLast4: model.paymentMethodDetails.cardPresent?.last4,
            methodCardPresentFunding: model.paymentMethodDetails.cardPresent?.funding,
            methodCardPresentReceiptAccountType: model.paymentMethodDetails.cardPresent?.receipt?.accountType,
            methodCardPresentReceiptApplicationPreferredName:
                model.paymentMethodDetails.cardPresent?.receipt?.applicationPreferredName,
            methodCardPresentReceiptDedicatedFileName:
                model.paymentMethodDetails.cardPresent?.receipt?.dedicatedFileName,
            methodInteracPresentBrand: model.paymentMethodDetails.interacPresent?.brand,
            methodInteracPresentLast4: model.paymentMethodDetails.interacPresent?.last4,
            methodInteracPresentFunding: model.paymentMethodDetails.interacPresent?.funding,
            methodInteracPresentReceiptAccountType: model.paymentMethodDetails.interacPresent?.receipt?.accountType,
            methodInteracPresentReceiptApplicationPreferredName:
                model.paymentMethodDetails.interacPresent?.receipt?.applicationPreferredName,
            methodInteracPresentReceiptDedicatedFileName:
                model.paymentMethodDetails.interacPresent?.receipt?.dedicatedFileName,
            refunded: model.refunded,
            status: model.status.rawValue)
    }

    public func toReadOnly() throws -> WCPayCharge {
        try WCPayCharge(
            siteID: siteID,
            id: id,
            amount: amount,
            amountCaptured: amountCaptured,
            amountRefunded: amountRefunded,
            authorizationCode: authorizationCode,
            captured: captured,
            created: created,
            currency: currency,
            paid: paid,
            paymentIntent: paymentIntent,
            paymentMethod: paymentMethod,
            paymentMethodDetails: readMethod(),
            refunded: refunded,
            status: WCPayChargeStatus(rawValue: status))
    }

    private func readMethodCard() throws -> WCPayCardDetails? {
        guard methodCardBrand != nil else { return nil }
        return try WCPayCardDetails(
            brand: required(methodCardBrand, "methodCardBrand"),
            last4: required(methodCardLast4, "methodCardLast4"),
            funding: required(methodCardFunding, "methodCardFunding"))
    }

    private func readMethodCardPresentReceipt() throws -> WCPayReceiptDetails? {
        guard methodCardPresentReceiptApplicationPreferredName != nil else { return nil }
        return try WCPayReceiptDetails(
            accountType: methodCardPresentReceiptAccountType,
            applicationPreferredName: required(
                methodCardPresentReceiptApplicationPreferredName,
                "methodCardPresentReceiptApplicationPreferredName"),
            dedicatedFileName: required(
                methodCardPresentReceiptDedicatedFileName,
                "methodCardPresentReceiptDedicatedFileName"))
    }

    private func readMethodCardPresent() throws -> WCPayCardPresentDetails? {
        guard methodCardPresentBrand != nil else { return nil }
        return try WCPayCardPresentDetails(
            brand: required(methodCardPresentBrand, "methodCardPresentBrand"),
            last4: required(methodCardPresentLast4, "methodCardPresentLast4"),
            funding: required(methodCardPresentFunding, "methodCardPresentFunding"),
            receipt: readMethodCardPresentReceipt())
    }

    private func readMethodInteracPresentReceipt() throws -> WCPayReceiptDetails? {
        guard methodInteracPresentReceiptApplicationPreferredName != nil else { return nil }
        return try WCPayReceiptDetails(
            accountType: methodInteracPresentReceiptAccountType,
            applicationPreferredName: required(
                methodInteracPresentReceiptApplicationPreferredName,
                "methodInteracPresentReceiptApplicationPreferredName"),
            dedicatedFileName: required(
                methodInteracPresentReceiptDedicatedFileName,
                "methodInteracPresentReceiptDedicatedFileName"))
    }

    private func readMethodInteracPresent() throws -> WCPayCardPresentDetails? {
        guard methodInteracPresentBrand != nil else { return nil }
        return try WCPayCardPresentDetails(
            brand: required(methodInteracPresentBrand, "methodInteracPresentBrand"),
            last4: required(methodInteracPresentLast4, "methodInteracPresentLast4"),
            funding: required(methodInteracPresentFunding, "methodInteracPresentFunding"),
            receipt: readMethodInteracPresentReceipt())
    }

    private func readMethod() throws -> WCPayPaymentMethodDetails {
        try WCPayPaymentMethodDetails(
            type: methodType,
            card: readMethodCard(),
            cardPresent: readMethodCardPresent(),
            interacPresent: readMethodInteracPresent())
    }
}

extension WCPayCharge: ReadOnlyType {
    public typealias Record = WCPayChargeRecord

    public func isReadOnlyRepresentation(of record: WCPayChargeRecord) -> Bool {
        siteID == record.siteID && id == record.id
    }
}
