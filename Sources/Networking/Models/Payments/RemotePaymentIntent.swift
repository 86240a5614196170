// @model
/// A payment as the gateway knows it, after the store was told to capture it.
public struct RemotePaymentIntent: Codable, Hashable, Sendable {
    public let id: String
    public let status: RemotePaymentIntentStatus

    // Made by Scripts/generate.
    public init(id: String, status: RemotePaymentIntentStatus) {
        self.id = id
        self.status = status
    }
    // End of what was made.
}
