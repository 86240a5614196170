// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItemMetaData.swift: change that, not this.
internal import Networking

extension OrderItemMetaData: JSONColumnValue {
    init?(json: JSONValue) {
        guard let id = json.member("id", as: Int64?.self),
            let key = json.member("key", as: String.self),
            let value = json.member("value", as: JSONValue?.self),
            let displayKey = json.member("displayKey", as: String?.self),
            let displayValue = json.member("displayValue", as: JSONValue?.self)
        else { return nil }
        self.init(id: id, key: key, value: value, displayKey: displayKey, displayValue: displayValue)
    }

    var json: JSONValue {
        .object([
            JSONValue.Member("id", id.json),
            JSONValue.Member("key", key.json),
            JSONValue.Member("value", value.json),
            JSONValue.Member("displayKey", displayKey.json),
            JSONValue.Member("displayValue", displayValue.json),
        ])
    }
}
