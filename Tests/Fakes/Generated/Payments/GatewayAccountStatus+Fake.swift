// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayAccountStatus.swift: change that, not this.
public import Networking

extension GatewayAccountStatus: Fakeable {
    public static func fake(from source: inout FakeSource) -> GatewayAccountStatus {
        let cases: [GatewayAccountStatus] = [
            .complete,
            .enabled,
            .pendingVerification,
            .restricted,
            .restrictedSoon,
            .rejectedFraud,
            .rejectedTermsOfService,
            .rejectedListed,
            .rejectedOther,
            .other(source.word()),
        ]
        return source.element(of: cases) ?? cases[0]
    }
}
