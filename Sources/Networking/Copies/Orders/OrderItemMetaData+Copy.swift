// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItemMetaData.swift: change that, not this.
extension OrderItemMetaData {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64?? = nil,
        key: String? = nil,
        value: JSONValue?? = nil,
        displayKey: String?? = nil,
        displayValue: JSONValue?? = nil
    ) -> OrderItemMetaData {
        OrderItemMetaData(
            id: id ?? self.id,
            key: key ?? self.key,
            value: value ?? self.value,
            displayKey: displayKey ?? self.displayKey,
            displayValue: displayValue ?? self.displayValue)
    }
}
