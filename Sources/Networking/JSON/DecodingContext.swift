/// What an answer does not say because the request did: the site, the order, the range of a report. Members of these
/// names are answered from here, wherever they are asked for, whatever the answer says of them.
public struct DecodingContext: Hashable, Sendable {
    private let numbers: [String: Int64]
    private let texts: [String: String]

    public init(_ numbers: [String: Int64] = [:], texts: [String: String] = [:]) {
        (self.numbers, self.texts) = (numbers, texts)
    }

    public init(siteID: Int64) { self.init(["siteID": siteID]) }

    public init(siteID: Int64, orderID: Int64) { self.init(["siteID": siteID, "orderID": orderID]) }

    /// For the settings of a group.
    public init(siteID: Int64, groupID: String) { self.init(["siteID": siteID], texts: ["groupID": groupID]) }

    /// For the account with a payment gateway.
    public init(siteID: Int64, gatewayID: String) { self.init(["siteID": siteID], texts: ["gatewayID": gatewayID]) }

    /// For what belongs to a user of WordPress.com.
    public init(userID: Int64) { self.init(["userID": userID]) }

    /// For statistics: under which range they are kept.
    public init(siteID: Int64, timeRange: String) { self.init(["siteID": siteID], texts: ["timeRange": timeRange]) }

    func number(_ name: String) -> Int64? { numbers.isEmpty ? nil : numbers[name] }

    func text(_ name: String) -> String? { texts.isEmpty ? nil : texts[name] }

    func contains(_ name: String) -> Bool { number(name) != nil || text(name) != nil }
}
