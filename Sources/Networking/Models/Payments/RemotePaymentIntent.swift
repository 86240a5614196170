/// A payment as the gateway knows it, after the store was told to capture it.
public struct RemotePaymentIntent: Codable, Hashable, Sendable {
    public let id: String
    public let status: RemotePaymentIntentStatus
}
