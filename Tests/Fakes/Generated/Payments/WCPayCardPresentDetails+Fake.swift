// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCardPresentDetails.swift: change that, not this.
public import Networking

extension WCPayCardPresentDetails: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCPayCardPresentDetails {
        WCPayCardPresentDetails(
            brand: .fake(from: &source),
            last4: .fake(from: &source),
            funding: .fake(from: &source),
            receipt: .fake(from: &source))
    }
}
