// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCharge.swift: change that, not this.
public import Networking

extension WCPayCharge: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCPayCharge {
        WCPayCharge(
            siteID: .fake(from: &source),
            id: .fake(from: &source),
            amount: .fake(from: &source),
            amountCaptured: .fake(from: &source),
            amountRefunded: .fake(from: &source),
            authorizationCode: .fake(from: &source),
            captured: .fake(from: &source),
            created: .fake(from: &source),
            currency: .fake(from: &source),
            paid: .fake(from: &source),
            paymentIntent: .fake(from: &source),
            paymentMethod: .fake(from: &source),
            paymentMethodDetails: .fake(from: &source),
            refunded: .fake(from: &source),
            status: .fake(from: &source))
    }
}
