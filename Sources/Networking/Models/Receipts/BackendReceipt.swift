public import Determinism

// @model
/// A receipt that the store shows at an address of its own (`wc/v3/orders/{id}/receipt`).
public struct BackendReceipt: Codable, Hashable, Sendable {
    public let receiptURL: String
    /// The last day.
    public let expirationDate: CivilDate

    // Made by Scripts/generate.
    public init(receiptURL: String, expirationDate: CivilDate) {
        self.receiptURL = receiptURL
        self.expirationDate = expirationDate
    }
    // End of what was made.
}
