// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayReceiptDetails.swift: change that, not this.
public import Networking

extension WCPayReceiptDetails: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCPayReceiptDetails {
        WCPayReceiptDetails(
            accountType: .fake(from: &source),
            applicationPreferredName: .fake(from: &source),
            dedicatedFileName: .fake(from: &source))
    }
}
