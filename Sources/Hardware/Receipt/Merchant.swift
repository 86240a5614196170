/// Who sells: the head of every receipt.
public struct Merchant: Hashable, Sendable, Codable {
    public var name: String
    /// Address and whatever else stands below the name, a line each.
    public var lines: [String]
    /// Tag 9F16, DE 42: up to 15 characters.
    public var merchantID: String
    /// Tag 9F1C, DE 41: 8 characters.
    public var terminalID: String

    public init(name: String, lines: [String] = [], merchantID: String, terminalID: String) {
        (self.name, self.lines, self.merchantID, self.terminalID) = (name, lines, merchantID, terminalID)
    }
}
