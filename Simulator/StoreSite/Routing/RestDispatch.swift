import Determinism
import Text

/// Finds the route of a request to a site's REST API and carries it out.
extension SiteState {
    private static let table = RouteTable(
        OrderEndpoints.routes + RefundEndpoints.routes + NoteEndpoints.routes + ReceiptEndpoints.routes
            + PaymentEndpoints.routes + CustomerEndpoints.routes + SettingEndpoints.routes + TaxEndpoints.routes
            + ShipmentEndpoints.routes + SystemStatusEndpoints.routes + ReportEndpoints.routes
            + ShopReportEndpoints.routes + ProductEndpoints.routes + RecordEndpoints.routes + CouponEndpoints.routes
            + ShippingEndpoints.routes + PaymentGatewayEndpoints.routes + DataEndpoints.routes
            + WebhookEndpoints.routes + CommentEndpoints.routes + WordPressEndpoints.routes)

    private static func components(_ route: String) -> [Substring] {
        route.split(separator: "/", omittingEmptySubsequences: true)
    }

    /// Returns who sent a request; nil without credentials.
    ///
    /// - Throws: the error of WordPress or WooCommerce for wrong credentials, and for a key that may not do this.
    mutating func visitor(
        _ request: SiteRequest, _ destination: Destination, _ site: Int, _ route: String, _ now: Timestamp
    ) throws(SiteError) -> Visitor? {
        let identity = stores[site].identity
        if identity.hasWooCommerce, route.hasPrefix("/wc/") || route.hasPrefix("/wc-") {
            let origin = String(identity.address.dropLast(identity.folder.count))
            let permission = try accounts[site].keyring.permission(
                request, destination.signedParameters(request), address: origin + destination.path, at: now)
            if let permission {
                guard permission.allows(destination.method) else {
                    let kind = permission == .read ? "write" : "read"
                    throw SiteError(
                        401, "woocommerce_rest_authentication_error",
                        "The API key provided does not have \(kind) permissions.")
                }
                return Visitor(user: user, permission: permission)
            }
        }
        return try accounts[site].user(of: request, at: now).map { Visitor(user: $0) }
    }

    /// Returns the methods that a visitor may use at a route: the value of `Allow`.
    func methods(_ site: Int, _ route: String, _ visitor: Visitor?) -> [String] {
        guard let visitor, let found = Self.table.place(Self.components(route), at: stores[site].identity) else {
            return []
        }
        return found.place.methods.filter(visitor.permission.allows)
    }

    /// Answers a request to the REST API of a site.
    mutating func rest(
        _ site: Int, _ given: String, _ route: String, _ parameters: SiteParameters, _ visitor: Visitor?,
        _ now: Timestamp
    ) throws(SiteError) -> Reply {
        let path = Self.components(route)
        let identity = stores[site].identity
        let method = given == "HEAD" ? "GET" : given
        if path.isEmpty, method == "GET" { return Reply(WordPressEndpoints.index(stores[site])) }
        if path.count >= 5, path[0...4].elementsEqual(["wp", "v2", "users", "me", "application-passwords"]) {
            guard let visitor else { throw .notLoggedIn }
            let call = Call(method: method, route: route, parameters: parameters, now: now, user: visitor.user)
            return try ApplicationPasswordEndpoints.answer(
                Array(path.dropFirst(5)), &accounts[site], identity, call, stores[site].generator)
        }
        let namespace = path.joined(separator: "/")
        if path.count <= 2, method == "GET" || method == "OPTIONS" {
            let places = Self.table.places(of: namespace, at: identity)
            if !places.isEmpty { return Reply(RouteDescription.index(namespace, places, identity)) }
        }
        guard let (place, captured) = Self.table.place(path, at: identity) else { throw .noRoute }
        if method == "OPTIONS" {
            return Reply(RouteDescription.options(place, example: example(of: place, path, site, now), identity))
        }
        guard let found = place.routes.first(where: { $0.method == method }) else { throw .noRoute }
        guard let visitor else { throw Self.refusal(found, method) }
        if place.isBatch {
            return try batch(site, String(route.dropLast("/batch".count)), parameters, visitor, now)
        }
        let places = try DecimalPlaces(parameters)
        let call = Call(
            method: method, route: route, captured: captured, parameters: parameters, now: now, user: visitor.user)
        var reply = try found.answer(&stores[site], call)
        if let places, path.count > 2, path[2] == "orders" || path[2] == "refunds", let node = reply.node {
            reply.content = .node(places.applied(to: node))
        }
        return reply
    }

    private static func refusal(_ route: Route, _ method: String) -> SiteError {
        guard !route.isWordPress else { return .notLoggedIn }
        return switch method {
        case "GET": .cannotView
        case "DELETE":
            SiteError(401, "woocommerce_rest_cannot_delete", "Sorry, you are not allowed to delete this resource.")
        default:
            SiteError(401, "woocommerce_rest_cannot_edit", "Sorry, you are not allowed to edit this resource.")
        }
    }

    /// Returns an element of a place for its schema, without effect on the store.
    private func example(
        of place: RouteTable.Place, _ path: [Substring], _ site: Int, _ now: Timestamp
    ) -> JSONValue? {
        var path = path
        if place.isBatch || place.pattern.hasSuffix("/*") { path.removeLast() }
        guard let (list, captured) = Self.table.place(path, at: stores[site].identity),
            let route = list.routes.first(where: { $0.method == "GET" })
        else { return nil }
        var copy = stores[site]
        let call = Call(
            method: "GET", route: "/" + path.joined(separator: "/"), captured: captured, parameters: SiteParameters(),
            now: now, user: user)
        guard let node = (try? route.answer(&copy, call))?.node else { return nil }
        if case .list(let elements) = node { return elements.first }
        return node
    }

    /// Creates, updates, and deletes the elements of a collection. Each is a request of its own: an error is the answer
    /// for its element, and the others are done.
    private mutating func batch(
        _ site: Int, _ collection: String, _ parameters: SiteParameters, _ visitor: Visitor, _ now: Timestamp
    ) throws(SiteError) -> Reply {
        let kinds = ["create", "update", "delete"]
        let lists = kinds.map { parameters[$0]?.elements ?? [] }
        guard lists.reduce(0, { $0 + $1.count }) <= 100 else {
            throw SiteError(
                413, "woocommerce_rest_request_entity_too_large",
                "Unable to accept more than 100 items for this request.")
        }
        var members: [JSONValue.Member] = []
        for (kind, list) in zip(kinds, lists) where !list.isEmpty {
            var nodes: [JSONValue] = []
            for element in list {
                nodes.append(batched(kind, element, site, collection, visitor, now))
            }
            members.append(.init(name: kind, value: .list(nodes)))
        }
        return Reply(.object(members))
    }

    private mutating func batched(
        _ kind: String, _ element: JSONValue, _ site: Int, _ collection: String, _ visitor: Visitor, _ now: Timestamp
    ) -> JSONValue {
        let id = (element["id"] ?? element).plainText.flatMap { Int64($0) }
        do throws(SiteError) {
            let reply: Reply
            if kind == "delete" {
                let parameters = SiteParameters([.init(name: "force", value: true)])
                reply = try rest(site, "DELETE", "\(collection)/\(id ?? 0)", parameters, visitor, now)
            } else {
                guard case .object(let members) = element else {
                    throw .invalidParameter(kind, "\(kind)[0] is not of type object.")
                }
                let place = kind == "create" ? collection : "\(collection)/\(id ?? 0)"
                reply = try rest(
                    site, kind == "create" ? "POST" : "PUT", place, SiteParameters(members).without("id"), visitor, now)
            }
            return reply.node ?? .null
        } catch {
            return [
                "id": .integer(id ?? 0),
                "error": [
                    "code": .text(error.code), "message": .text(error.message),
                    "data": ["status": .integer(error.status)],
                ],
            ]
        }
    }
}
