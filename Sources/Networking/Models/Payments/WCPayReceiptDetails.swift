// @model
/// What the schemes want on a receipt.
public struct WCPayReceiptDetails: Codable, Hashable, Sendable {
    public let accountType: String?
    public let applicationPreferredName: String
    /// The AID.
    public let dedicatedFileName: String

    // Made by Scripts/generate.
    public init(accountType: String?, applicationPreferredName: String, dedicatedFileName: String) {
        self.accountType = accountType
        self.applicationPreferredName = applicationPreferredName
        self.dedicatedFileName = dedicatedFileName
    }
    // End of what was made.
}
