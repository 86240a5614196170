/// A good answer, ready to be decoded.
public struct Response: Sendable {
    public let document: JSONDocument
    public let headers: HTTPHeaders
    /// The interface that answered.
    public let dialect: Dialect
}
