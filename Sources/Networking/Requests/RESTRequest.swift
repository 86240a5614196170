/// A request to a site's own interface.
public struct RESTRequest: Request, Hashable {
    public let site: WebAddress
    /// For example `wc/v3`; empty for the interface's own description.
    public let namespace: String
    public let method: HTTPMethod
    /// Below the namespace.
    public let path: String
    public let parameters: Parameters
    public let options: RequestOptions

    public init(
        site: WebAddress, namespace: String, _ method: HTTPMethod = .get, _ path: String,
        parameters: Parameters = [:], options: RequestOptions = RequestOptions()
    ) {
        (self.site, self.namespace, self.method, self.path) = (site, namespace, method, path)
        (self.parameters, self.options) = (parameters, options)
    }

    public var dialect: Dialect { .wordPress }

    /// The route stands in the query, which works on sites without readable addresses too.
    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        let route = "/" + [namespace, path].flatMap { $0.split(separator: "/") }.joined(separator: "/")
        let hasBody = method == .post || method == .put
        let fields = [(name: "rest_route", value: route)] + (hasBody ? [] : parameters.fields)
        let address = WebAddress(
            origin: site.origin, path: site.path.hasSuffix("/") ? site.path : site.path + "/",
            query: PercentEncoding.form(fields))
        return options.httpRequest(
            method, address, body: hasBody ? Array(parameters.jsonText.utf8) : nil,
            contentType: "application/json; charset=utf-8")
    }

    public func direct(site: WebAddress) -> RESTRequest? { self }
}
