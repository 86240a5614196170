// Made by Scripts/generate from Sources/Networking/Models/Payments/RemotePaymentIntent.swift: change that, not this.
extension RemotePaymentIntent {
    /// The same with other values for what is given; what is nil stays.
    public func copy(id: String? = nil, status: RemotePaymentIntentStatus? = nil) -> RemotePaymentIntent {
        RemotePaymentIntent(id: id ?? self.id, status: status ?? self.status)
    }
}
