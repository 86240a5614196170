import Text

/// A request to a site's own REST interface.
public struct RESTRequest: Request, Hashable {
    public let site: WebAddress
    /// For example `wc/v3`; empty for the interface's index.
    public let namespace: String
    public let method: HTTPMethod
    /// The path below the namespace.
    public let path: String
    public let parameters: Parameters
    public let options: RequestOptions

    /// Describes a request. `path` is below the namespace; parameters go into the query, or into the body of a POST or
    /// PUT.
    public init(
        site: WebAddress, namespace: String, _ method: HTTPMethod = .get, _ path: String,
        parameters: Parameters = [:], options: RequestOptions = RequestOptions()
    ) {
        (self.site, self.namespace, self.method, self.path) = (site, namespace, method, path)
        (self.parameters, self.options) = (parameters, options)
    }

    public var dialect: Dialect { .wordPress }

    /// Puts the route into the query, which also works on sites without pretty permalinks.
    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        let route = "/" + [namespace, path].flatMap { $0.split(separator: "/") }.joined(separator: "/")
        let hasBody = method == .post || method == .put
        let fields = [(name: "rest_route", value: route)] + (hasBody ? [] : parameters.fields)
        let address = WebAddress(
            origin: site.origin, path: site.path.hasSuffix("/") ? site.path : site.path + "/",
            query: PercentEncoding.form(fields))
        var request = options.httpRequest(
            method, address, body: hasBody ? Array(parameters.jsonText.utf8) : nil,
            contentType: "application/json; charset=utf-8")
        request.routeField = "rest_route=" + route
        return request
    }

    public func direct(site: WebAddress) -> RESTRequest? { self }
}

/// A request to a site through WordPress.com's tunnel, for a site that is connected with Jetpack.
///
/// The site's request is wrapped in a GET or a POST: method and path in one field, the parameters as JSON in another.
public struct JetpackRequest: Request, Hashable {
    public let siteID: Int64
    /// For example `wc/v3`.
    public let namespace: String
    /// The method at the site, not the method of the HTTP request.
    public let method: HTTPMethod
    public let path: String
    public let parameters: Parameters
    public let options: RequestOptions
    /// The language of texts in the response, for example `de_DE`.
    public let locale: String?
    /// Whether the site offers the same route directly.
    public let isAvailableOnSite: Bool

    /// Describes a request as the site receives it. `path` is below the namespace.
    public init(
        siteID: Int64, namespace: String = WooNamespace.v3, _ method: HTTPMethod = .get, _ path: String,
        parameters: Parameters = [:], options: RequestOptions = RequestOptions(), locale: String? = nil,
        isAvailableOnSite: Bool = true
    ) {
        (self.siteID, self.namespace, self.method, self.path) = (siteID, namespace, method, path)
        (self.parameters, self.options, self.locale) = (parameters, options, locale)
        self.isAvailableOnSite = isAvailableOnSite
    }

    public var dialect: Dialect { .tunnel }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        let route = "/" + [namespace, path].flatMap { $0.split(separator: "/") }.joined(separator: "/")
        // Keep a trailing slash: some routes need it.
        let place = path.hasSuffix("/") && !route.hasSuffix("/") ? route + "/" : route
        var fields = [
            (name: "json", value: "true"), (name: "path", value: "\(place)&_method=\(method.rawValue.lowercased())"),
        ]
        if let locale { fields.append((name: "locale", value: locale)) }
        let tunnel = WebAddress.wordPressDotcom.appending(path: "rest/v1.1/jetpack-blogs/\(siteID)/rest-api/")
        switch method {
        case .get, .delete:
            if !parameters.isEmpty { fields.append((name: "query", value: Self.query(parameters))) }
            let address = WebAddress(origin: tunnel.origin, path: tunnel.path, query: PercentEncoding.form(fields))
            var request = options.httpRequest(.get, address)
            // A deletion is sent as a GET but must not be repeated.
            request.isRepeatable = method == .get
            request.routeField = "path=\(place)&_method=\(method.rawValue.lowercased())"
            return request
        case .post, .put:
            fields.append((name: "body", value: parameters.jsonText))
            var request = options.httpRequest(
                .post, tunnel, body: Array(PercentEncoding.form(fields).utf8),
                contentType: "application/x-www-form-urlencoded; charset=utf-8")
            // The tunnel does not forward the idempotency key.
            request.isRepeatable = false
            request.routeField = "path=\(place)&_method=\(method.rawValue.lowercased())"
            return request
        }
    }

    public func direct(site: WebAddress) -> RESTRequest? {
        guard isAvailableOnSite else { return nil }
        var parameters = parameters
        if let locale { parameters.add("_locale", .text(locale)) }
        return RESTRequest(
            site: site, namespace: namespace, method, path, parameters: parameters, options: options)
    }

    /// Returns the parameters as JSON with text values, like those of a query.
    private static func query(_ parameters: Parameters) -> String {
        JSONValue.object(
            parameters.members.map { member in
                switch member.value {
                case .number(let text): JSONValue.Member(member.name, .text(text))
                case .bool(let flag): JSONValue.Member(member.name, .text(flag ? "true" : "false"))
                default: member
                }
            }
        ).jsonText
    }
}

/// The namespaces of WooCommerce's REST interface.
public enum WooNamespace {
    public static let v1 = "wc/v1"
    public static let v2 = "wc/v2"
    public static let v3 = "wc/v3"
    public static let analytics = "wc-analytics"
    public static let telemetry = "wc-telemetry"
}
