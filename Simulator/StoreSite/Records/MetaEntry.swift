/// A piece of metadata of an order.
struct MetaEntry: Hashable, Sendable {
    var id: Int64
    var key: String
    var value: JSONNode

    var node: JSONNode { ["id": .integer(id), "key": .text(key), "value": value] }
}
