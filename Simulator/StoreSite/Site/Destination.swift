import Text

/// The target of a request.
struct Destination: Sendable {
    enum Place: Sendable {
        /// The control of the simulation.
        case control([Substring])
        /// The REST API of a site, by its index.
        case rest(site: Int, route: String)
        case tunnel(blog: String, route: String, parameters: @Sendable () throws(SiteError) -> SiteParameters)
        /// `rest/v1.1`.
        case dotcom([Substring])
        /// `wpcom/v2/sites`, `wp/v2/sites`.
        case namespaced(String, [Substring])
        /// A page of a site.
        case page(site: Int, [Substring])
        case nowhere
    }

    let place: Place
    /// The path without the query.
    let path: String
    /// The effective method, which can differ from that of the HTTP request.
    let method: String
    let dialect: SiteDialect
    private let query: [(name: String, value: String)]

    /// The REST route.
    var route: String? {
        switch place {
        case .rest(_, let route), .tunnel(_, let route, _): route
        case .control, .dotcom, .namespaced, .page, .nowhere: nil
        }
    }

    init(_ request: SiteRequest, _ sites: [StoreIdentity]) {
        let target = request.target.prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        let query = FormFields.read(target.dropFirst(path.count + 1))
        (self.path, self.query) = (String(path), query)
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        switch parts.first {
        case "_simulator":
            (place, method, dialect) = (.control(Array(parts.dropFirst())), request.method, .site)
        case "rest" where parts.count > 2:
            let rest = Array(parts.dropFirst(2))
            if rest.count == 3, rest[0] == "jetpack-blogs", rest[2] == "rest-api" {
                let tunnel = Self.tunnel(String(rest[1]), request, query)
                (place, method, dialect) = (tunnel.place, tunnel.method, .tunnel)
            } else {
                (place, method, dialect) = (.dotcom(rest), request.method, .dotcom)
            }
        case "wpcom" where parts.count > 3 && parts[1] == "v2" && parts[2] == "sites",
            "wp" where parts.count > 3 && parts[1] == "v2" && parts[2] == "sites":
            let namespace = "\(parts[0])/\(parts[1])"
            (place, method, dialect) = (.namespaced(namespace, Array(parts.dropFirst(3))), request.method, .site)
        default:
            // Use the longest matching folder: the first site has none.
            let site = sites.lastIndex { !$0.folder.isEmpty && parts.first.map { "/\($0)" } == $0.folder } ?? 0
            let inner = sites.indices.contains(site) && !sites[site].folder.isEmpty ? parts.dropFirst() : parts[...]
            (place, method) = Self.site(site, Array(inner), request, query)
            dialect = .site
        }
    }

    private static func site(
        _ site: Int, _ parts: [Substring], _ request: SiteRequest, _ query: [(name: String, value: String)]
    ) -> (Place, String) {
        // Clients that cannot send every method send POST and name the real one.
        let meant = query.last { $0.name == "_method" }?.value ?? request.header("x-http-method-override")
        let method = request.method == "POST" ? meant?.uppercased() ?? "POST" : request.method
        if parts.first == "wp-json" {
            let route = parts.dropFirst().map { PercentEncoding.decode($0, plusIsSpace: false) }.joined(separator: "/")
            return (.rest(site: site, route: "/" + route), method)
        }
        if parts.isEmpty || parts == ["index.php"], let route = query.last(where: { $0.name == "rest_route" })?.value {
            return (.rest(site: site, route: route.hasPrefix("/") ? route : "/" + route), method)
        }
        return (.page(site: site, parts), request.method)
    }

    private static func tunnel(
        _ blog: String, _ request: SiteRequest, _ query: [(name: String, value: String)]
    ) -> (place: Place, method: String) {
        let hasBody = request.method == "POST"
        let fields = hasBody ? query + FormFields.read(String(decoding: request.body, as: UTF8.self)) : query
        func field(_ name: String) -> String? { fields.last { $0.name == name }?.value }
        // The path includes the method as if it were a query.
        let pieces = (field("path") ?? "").split(separator: "&", omittingEmptySubsequences: true)
        let route = pieces.first.map { String($0.prefix { $0 != "?" }) } ?? "/"
        let method = pieces.dropFirst().last { $0.hasPrefix("_method=") }?.dropFirst(8).uppercased() ?? request.method
        let text = hasBody ? field("body") : field("query")
        let place = Place.tunnel(blog: blog, route: route) { () throws(SiteError) in
            guard let text, !text.isEmpty else { return SiteParameters() }
            guard case .object(let members)? = JSONReader.node(Array(text.utf8)) else {
                // PHP writes an empty object like this.
                if text == "[]" { return SiteParameters() }
                throw SiteError(400, "rest_invalid_json", "Invalid JSON body passed.")
            }
            return SiteParameters(members)
        }
        return (place, method)
    }

    /// Whether the client wants status and headers in the body.
    var isEnveloped: Bool { query.contains { $0.name == "_envelope" } }

    /// Returns the parameters that a signature covers: those of the query and of a form.
    func signedParameters(_ request: SiteRequest) -> SiteParameters {
        let type = request.header("content-type")?.lowercased() ?? ""
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        let form = isForm ? FormFields.read(String(decoding: request.body, as: UTF8.self)) : []
        return SiteParameters(fields: query + form)
    }

    /// Whether a parameter belongs to the request itself: its route, its method, or its credentials.
    private static func isOfRequest(_ name: String) -> Bool {
        ["rest_route", "_method", "_envelope", "consumer_key", "consumer_secret"].contains(name)
            || name.hasPrefix("oauth_")
    }

    /// Returns the parameters of query and body.
    ///
    /// - Throws: `rest_invalid_json`
    func parameters(_ request: SiteRequest) throws(SiteError) -> SiteParameters {
        let given = SiteParameters(fields: query.filter { !Self.isOfRequest($0.name) })
        guard !request.body.isEmpty else { return given }
        let type = request.header("content-type")?.lowercased() ?? ""
        if type.hasPrefix("application/json") {
            switch JSONReader.node(request.body) {
            case .object(let members)?: return SiteParameters(members).joined(given)
            case .list(let elements)?: return SiteParameters(list: elements).joined(given)
            default: throw SiteError(400, "rest_invalid_json", "Invalid JSON body passed.")
            }
        }
        guard type.hasPrefix("application/x-www-form-urlencoded") else { return given }
        let form = SiteParameters(
            fields: FormFields.read(String(decoding: request.body, as: UTF8.self))
                .filter { !Self.isOfRequest($0.name) })
        return form.joined(given)
    }
}
