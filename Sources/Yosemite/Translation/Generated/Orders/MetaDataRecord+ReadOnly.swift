// Made by Scripts/generate from Sources/Networking/Models/Orders/MetaData.swift: change that, not this.
public import Networking
public import Storage

extension MetaDataRecord: ReadOnlyConvertible {
    public init(_ model: MetaData) {
        self.init(id: model.id, key: model.key, value: model.value.map(JSONColumn.text))
    }

    public func toReadOnly() throws -> MetaData {
        try MetaData(id: id, key: key, value: value.map { try json($0, "value") })
    }
}
