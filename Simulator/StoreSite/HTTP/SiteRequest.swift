/// One HTTP request as it reached the site.
public struct SiteRequest: Sendable {
    /// In capitals: `GET`.
    public var method: String
    /// The path and the query as they stood in the request line, percent-encoded.
    public var target: String
    /// Names in any case, in the order in which they came.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Whether it came from this machine: nobody else steers the simulation.
    public var isFromLoopback: Bool

    public init(
        method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        isFromLoopback: Bool = true
    ) {
        (self.method, self.target, self.headers) = (method, target, headers)
        (self.body, self.isFromLoopback) = (body, isFromLoopback)
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
    }
}
