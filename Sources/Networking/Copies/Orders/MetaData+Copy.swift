// Made by Scripts/generate from Sources/Networking/Models/Orders/MetaData.swift: change that, not this.
extension MetaData {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(id: Int64?? = nil, key: String? = nil, value: JSONValue?? = nil) -> MetaData {
        MetaData(id: id ?? self.id, key: key ?? self.key, value: value ?? self.value)
    }
}
