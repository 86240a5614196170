/// A request to WordPress.com, or through its tunnel, in the name of an account.
public struct AuthenticatedDotcomRequest: Request {
    private let request: any Request
    private let token: Secret

    public init(_ request: any Request, token: Secret) { (self.request, self.token) = (request, token) }

    public var dialect: Dialect { request.dialect }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        var request = try request.httpRequest()
        request.authorization = Secret("Bearer \(token.revealed())")
        return request
    }
}
