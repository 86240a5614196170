/// What an answer does not say because the request did: the site, the order. Members of these names are answered from
/// here, wherever they are asked for.
public struct DecodingContext: Hashable, Sendable {
    private let values: [String: Int64]

    public init(_ values: [String: Int64] = [:]) { self.values = values }

    public init(siteID: Int64) { self.init(["siteID": siteID]) }

    public init(siteID: Int64, orderID: Int64) { self.init(["siteID": siteID, "orderID": orderID]) }

    subscript(name: String) -> Int64? { values.isEmpty ? nil : values[name] }
}
