/// What the schemes want on a receipt.
public struct WCPayReceiptDetails: Codable, Hashable, Sendable {
    public let accountType: String?
    public let applicationPreferredName: String
    /// The AID.
    public let dedicatedFileName: String
}
