/// A request to a site itself, with an application password.
public struct AuthenticatedRESTRequest: Request {
    private let request: RESTRequest
    private let password: ApplicationPassword

    public init(_ request: RESTRequest, password: ApplicationPassword) {
        (self.request, self.password) = (request, password)
    }

    public var dialect: Dialect { request.dialect }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        var request = try request.httpRequest()
        request.authorization = password.authorization
        return request
    }
}
