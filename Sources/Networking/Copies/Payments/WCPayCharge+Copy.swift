// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCharge.swift: change that, not this.
extension WCPayCharge {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        id: String? = nil,
        amount: Int64? = nil,
        amountCaptured: Int64? = nil,
        amountRefunded: Int64? = nil,
        authorizationCode: String?? = nil,
        captured: Bool? = nil,
        created: Int64? = nil,
        currency: String? = nil,
        paid: Bool? = nil,
        paymentIntent: String?? = nil,
        paymentMethod: String? = nil,
        paymentMethodDetails: WCPayPaymentMethodDetails? = nil,
        refunded: Bool? = nil,
        status: WCPayChargeStatus? = nil
    ) -> WCPayCharge {
        WCPayCharge(
            siteID: siteID ?? self.siteID,
            id: id ?? self.id,
            amount: amount ?? self.amount,
            amountCaptured: amountCaptured ?? self.amountCaptured,
            amountRefunded: amountRefunded ?? self.amountRefunded,
            authorizationCode: authorizationCode ?? self.authorizationCode,
            captured: captured ?? self.captured,
            created: created ?? self.created,
            currency: currency ?? self.currency,
            paid: paid ?? self.paid,
            paymentIntent: paymentIntent ?? self.paymentIntent,
            paymentMethod: paymentMethod ?? self.paymentMethod,
            paymentMethodDetails: paymentMethodDetails ?? self.paymentMethodDetails,
            refunded: refunded ?? self.refunded,
            status: status ?? self.status)
    }
}
