// Made by Scripts/generate from Sources/Networking/Models/Payments/RemotePaymentIntentStatus.swift: change that, not this.
public import Networking

extension RemotePaymentIntentStatus: Fakeable {
    public static func fake(from source: inout FakeSource) -> RemotePaymentIntentStatus {
        let cases: [RemotePaymentIntentStatus] = [
            .requiresPaymentMethod,
            .requiresConfirmation,
            .requiresAction,
            .processing,
            .requiresCapture,
            .canceled,
            .succeeded,
            .other(source.word()),
        ]
        return source.element(of: cases) ?? cases[0]
    }
}
