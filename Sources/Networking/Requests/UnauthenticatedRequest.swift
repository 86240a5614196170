/// A request in nobody's name.
public struct UnauthenticatedRequest: Request {
    private let request: any Request

    public init(_ request: any Request) { self.request = request }

    public var dialect: Dialect { request.dialect }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        var request = try request.httpRequest()
        (request.authorization, request.cookie) = (nil, nil)
        return request
    }
}
