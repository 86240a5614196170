// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayPaymentMethodDetails.swift: change that, not this.
public import Networking

extension WCPayPaymentMethodDetails: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCPayPaymentMethodDetails {
        WCPayPaymentMethodDetails(
            type: .fake(from: &source),
            card: .fake(from: &source),
            cardPresent: .fake(from: &source),
            interacPresent: .fake(from: &source))
    }
}
