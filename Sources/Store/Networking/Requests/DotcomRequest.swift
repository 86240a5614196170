import Text

/// A request to WordPress.com.
public struct DotcomRequest: Request, Hashable {
    /// The interface of WordPress.com, by the beginning of its path.
    public enum Version: String, Hashable, Sendable, CaseIterable {
        case rest1_1 = "rest/v1.1"
        case rest1_2 = "rest/v1.2"
        case rest1_3 = "rest/v1.3"
        case rest1_5 = "rest/v1.5"
        case wpcom2 = "wpcom/v2"
        case wordPress2 = "wp/v2"
    }

    public let version: Version
    public let method: HTTPMethod
    /// The path below the version, for example `me/sites`.
    public let path: String
    public let parameters: Parameters
    public let options: RequestOptions
    /// Whether a site offers the same route under `wp/v2`, without the prefix `sites/{id}/`.
    public let isAvailableOnSite: Bool
    /// The corresponding route of a site, if it has another name.
    public let siteRoute: SiteRoute?

    /// Describes a request. `path` is below the version; only a route of `wp/v2` can be available on the site itself.
    public init(
        _ version: Version = .rest1_1, _ method: HTTPMethod = .get, _ path: String, parameters: Parameters = [:],
        options: RequestOptions = RequestOptions(), isAvailableOnSite: Bool = false, onSite siteRoute: SiteRoute? = nil
    ) {
        (self.version, self.method, self.path) = (version, method, path)
        (self.parameters, self.options, self.siteRoute) = (parameters, options, siteRoute)
        self.isAvailableOnSite = isAvailableOnSite && version == .wordPress2
    }

    public var dialect: Dialect {
        switch version {
        case .rest1_1, .rest1_2, .rest1_3, .rest1_5: .dotcom
        case .wpcom2, .wordPress2: .wordPress
        }
    }

    public func httpRequest() throws(NetworkError) -> HTTPRequest {
        let form = PercentEncoding.form(parameters.fields)
        let place = "\(version.rawValue)/\(path)"
        guard method == .post || method == .put else {
            return options.httpRequest(
                method, WebAddress.wordPressDotcom.appending(path: place, query: form.isEmpty ? nil : form))
        }
        return options.httpRequest(
            method, WebAddress.wordPressDotcom.appending(path: place), body: Array(form.utf8),
            contentType: "application/x-www-form-urlencoded; charset=utf-8")
    }

    public func direct(site: WebAddress) -> RESTRequest? {
        if let siteRoute {
            return RESTRequest(
                site: site, namespace: siteRoute.namespace, method, siteRoute.path, parameters: siteRoute.parameters,
                options: options)
        }
        guard isAvailableOnSite else { return nil }
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if parts.first == "sites" { parts.removeFirst(min(2, parts.count)) }
        return RESTRequest(
            site: site, namespace: version.rawValue, method, parts.joined(separator: "/"), parameters: parameters,
            options: options)
    }
}
