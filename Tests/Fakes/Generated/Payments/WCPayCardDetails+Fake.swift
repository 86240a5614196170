// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCardDetails.swift: change that, not this.
public import Networking

extension WCPayCardDetails: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCPayCardDetails {
        WCPayCardDetails(brand: .fake(from: &source), last4: .fake(from: &source), funding: .fake(from: &source))
    }
}
