/// What a server answered, whatever its status.
public struct HTTPResponse: Hashable, Sendable {
    /// 100...599
    public var status: Int
    public var headers: HTTPHeaders
    /// Unpacked. It may hold secrets: it is never printed.
    public var body: [UInt8]

    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Whether the request was carried out (RFC 9110 §15.3).
    public var isSuccess: Bool { (200...299).contains(status) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(status), \(body.count) bytes" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["status": status, "bytes": body.count]) }
}
