// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayChargeStatus.swift: change that, not this.
public import Networking

extension WCPayChargeStatus: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCPayChargeStatus {
        let cases: [WCPayChargeStatus] = [.succeeded, .pending, .failed, .other(source.word())]
        return source.element(of: cases) ?? cases[0]
    }
}
