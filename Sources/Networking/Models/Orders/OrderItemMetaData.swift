// @model
/// What was chosen for a line of an order, with what is shown of it.
public struct OrderItemMetaData: Codable, Hashable, Sendable {
    public let id: Int64?
    public let key: String
    public let value: JSONValue?
    public let displayKey: String?
    public let displayValue: JSONValue?

    // Made by Scripts/generate.
    public init(id: Int64?, key: String, value: JSONValue?, displayKey: String?, displayValue: JSONValue?) {
        self.id = id
        self.key = key
        self.value = value
        self.displayKey = displayKey
        self.displayValue = displayValue
    }
    // End of what was made.
}
