// Made by Scripts/generate from Sources/Networking/Models/Payments/RemotePaymentIntent.swift: change that, not this.
public import Networking

extension RemotePaymentIntent: Fakeable {
    public static func fake(from source: inout FakeSource) -> RemotePaymentIntent {
        RemotePaymentIntent(id: .fake(from: &source), status: .fake(from: &source))
    }
}
