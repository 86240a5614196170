/// A request to a site by way of WordPress.com, for a site that is connected to it with Jetpack.
///
/// What the site is to do travels inside a GET or a POST: its method and path in one field, its parameters as a JSON
/// text in another one.
public struct JetpackRequest: Request, Hashable {
    public let siteID: Int64
    /// For example `wc/v3`.
    public let namespace: String
    /// What the site is to do, not what goes over the wire.
    public let method: HTTPMethod
    public let path: String
    public let parameters: Parameters
    public let options: RequestOptions
    /// Language of the texts in the answer, for example `de_DE`.
    public let locale: String?
    /// Whether the site itself can be asked instead.
    public let isAvailableOnSite: Bool

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
        // With the slash that a path ends with: some routes are not found without it.
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
            // A deletion goes over the wire as a GET, and is none.
            request.isRepeatable = method == .get
            return request
        case .post, .put:
            fields.append((name: "body", value: parameters.jsonText))
            var request = options.httpRequest(
                .post, tunnel, body: Array(PercentEncoding.form(fields).utf8),
                contentType: "application/x-www-form-urlencoded; charset=utf-8")
            // The site never sees the key.
            request.isRepeatable = false
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

    /// Every value as a text: that is what a query's values are.
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

/// The namespaces of WooCommerce's interface.
public enum WooNamespace {
    public static let v1 = "wc/v1"
    public static let v2 = "wc/v2"
    public static let v3 = "wc/v3"
    public static let analytics = "wc-analytics"
    public static let telemetry = "wc-telemetry"
}
