/// What the site answers.
public struct SiteResponse: Sendable {
    /// 200...599
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    static let jsonType = "application/json; charset=UTF-8"

    static func json(
        _ bytes: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> SiteResponse {
        SiteResponse(status: status, headers: [("Content-Type", jsonType)] + headers, body: bytes)
    }

    static func json(_ node: JSONNode, status: Int = 200) -> SiteResponse { json(node.bytes, status: status) }

    static func html(_ text: String, status: Int = 200) -> SiteResponse {
        SiteResponse(status: status, headers: [("Content-Type", "text/html; charset=UTF-8")], body: Array(text.utf8))
    }

    static func text(_ text: String, status: Int = 200) -> SiteResponse {
        SiteResponse(status: status, headers: [("Content-Type", "text/html; charset=UTF-8")], body: Array(text.utf8))
    }
}
