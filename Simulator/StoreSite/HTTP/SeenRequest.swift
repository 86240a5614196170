/// What is remembered of a request: never its credentials, its parameters or its body.
public struct SeenRequest: Hashable, Sendable {
    /// From 1.
    public var number: Int
    public var method: String
    /// The path of the request line without its query.
    public var path: String
    /// The route that was really asked for, when the path is only a way to it: `/wc/v3/orders/12`.
    public var route: String?
    /// 0 when there was no answer.
    public var status: Int
    /// The fault that met it.
    public var fault: String?

    var node: JSONNode {
        [
            "number": .integer(number), "method": .text(method), "path": .text(path),
            "route": route.map(JSONNode.text) ?? .null, "status": .integer(status),
            "fault": fault.map(JSONNode.text) ?? .null,
        ]
    }
}
