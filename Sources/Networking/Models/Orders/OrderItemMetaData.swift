/// What was chosen for a line of an order, with what is shown of it.
public struct OrderItemMetaData: Codable, Hashable, Sendable {
    public let id: Int64?
    public let key: String
    public let value: JSONValue?
    public let displayKey: String?
    public let displayValue: JSONValue?
}
