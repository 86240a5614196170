internal import Determinism

/// Everything that changes in a ``StoreSite``.
struct SiteState: Sendable {
    let user: SiteUser
    var account: DotcomAccount
    var stores: [Store]
    /// Who may use each of the sites.
    var accounts: [SiteAccounts]
    var faults = FaultPlan()
    private(set) var seen: [SeenRequest] = []
    /// By how much the site's clock was moved.
    var clockAhead = Duration.zero

    private let configuration: StoreSiteConfiguration
    private let random: any RandomSource
    private var faultChance: Chance
    private var requestCount = 0

    private static let mostSeen = 20_000

    init(_ configuration: StoreSiteConfiguration, now: Timestamp, random: any RandomSource) {
        (self.configuration, self.random) = (configuration, random)
        let world = StoreGenerator(configuration: configuration, now: now, random: random).world()
        (user, account, stores, accounts) = (world.user, world.account, world.stores, world.accounts)
        faultChance = Chance(source: random.stream("faults"))
    }

    /// Everything as it was at first, but for the clock.
    mutating func reset(at now: Timestamp) {
        let (ahead, address) = (clockAhead, stores.first?.identity.address)
        self = SiteState(configuration, now: now, random: random)
        clockAhead = ahead
        if let address { move(to: address) }
    }

    mutating func move(to address: String) {
        for index in stores.indices {
            let own = address + stores[index].identity.folder
            stores[index].identity.address = own
            stores[index].orders.forgetRendered()
            for note in account.notifications.indices
            where account.notifications[note].siteID == stores[index].identity.id {
                account.notifications[note].siteAddress = own
            }
        }
    }

    // MARK: Requests

    mutating func answer(_ request: SiteRequest, at moment: Timestamp) -> SiteAnswer {
        let now = moment.advanced(by: clockAhead)
        let destination = Destination(request, stores.map(\.identity))
        var seen = SeenRequest(
            number: requestCount + 1, method: request.method, path: destination.path, route: destination.route,
            status: 0)
        if case .control(let parts) = destination.place {
            let response = ControlEndpoints.answer(parts, request, &self, at: moment)
            seen.status = response.status
            return SiteAnswer(response, seen: seen)
        }
        requestCount += 1
        let fault = faults.fault(
            method: destination.method, paths: [destination.path] + (destination.route.map { [$0] } ?? []),
            chance: faultChance)
        seen.fault = fault?.description
        var answer: SiteAnswer
        if let response = fault?.instead(destination.dialect) {
            answer = SiteAnswer(response, delivery: fault == .cut ? .cut : .whole, seen: seen)
        } else {
            let response = respond(to: request, destination, at: now)
            tellOwner(at: now)
            answer = SiteAnswer(response, seen: seen)
            fault?.spoil(&answer, destination.dialect)
        }
        answer.seen.status = answer.delivery == .cut ? 0 : answer.response.status
        remember(answer.seen)
        return answer
    }

    private mutating func remember(_ request: SeenRequest) {
        // In pieces, so that not every request moves all the others.
        if seen.count >= 2 * Self.mostSeen { seen.removeFirst(Self.mostSeen) }
        seen.append(request)
    }

    private mutating func respond(
        to request: SiteRequest, _ destination: Destination, at now: Timestamp
    ) -> SiteResponse {
        do throws(SiteError) {
            switch destination.place {
            case .rest(let site, let route):
                let parameters = try destination.parameters(request)
                let user = try accounts[site].user(of: request, at: now)
                let reply = try rest(site, destination.method, route, parameters, user, now)
                return response(reply, parameters, site: site, route: route)
            case .tunnel(let blog, let route, let parameters):
                try account.check(request)
                let site = try DotcomEndpoints.index(blog, self)
                let parameters = try parameters()
                let reply = try rest(site, destination.method, route, parameters, user, now)
                return tunnelled(reply, parameters)
            case .dotcom(let parts):
                try account.check(request)
                let node = try DotcomEndpoints.rest(
                    destination.method, parts, try destination.parameters(request), &self, now)
                return .json(node)
            case .namespaced(let namespace, let parts):
                try account.check(request)
                let parameters = try destination.parameters(request)
                let reply = try DotcomEndpoints.namespaced(
                    namespace, destination.method, parts, parameters, &self, now)
                return response(reply, parameters, site: 0, route: nil)
            case .page(let site, let parts):
                return SitePages.answer(parts, request, site, &self, at: now)
            case .control, .nowhere: return SitePages.notFound
            }
        } catch {
            return error.response(destination.dialect)
        }
    }

    /// Asks the REST interface of a site.
    private mutating func rest(
        _ site: Int, _ method: String, _ route: String, _ parameters: SiteParameters, _ user: SiteUser?,
        _ now: Timestamp
    ) throws(SiteError) -> Reply {
        let path = route.split(separator: "/", omittingEmptySubsequences: true)
        if path.isEmpty, method == "GET" { return Reply(WordPressEndpoints.index(stores[site])) }
        if path.count >= 5, path[0...4].elementsEqual(["wp", "v2", "users", "me", "application-passwords"]) {
            guard let user else { throw .notLoggedIn }
            let call = Call(method: method, route: route, parameters: parameters, now: now, user: user)
            return try ApplicationPasswordEndpoints.answer(
                Array(path.dropFirst(5)), &accounts[site], stores[site].identity, call, stores[site].chance)
        }
        for candidate in Self.routes where candidate.method == method {
            guard candidate.isWordPress || stores[site].identity.hasWooCommerce,
                !candidate.isOfStripe || stores[site].identity.hasStripe,
                let captured = candidate.captures(path)
            else { continue }
            guard let user else { throw Self.refusal(candidate, method) }
            let call = Call(
                method: method, route: route, captured: captured, parameters: parameters, now: now, user: user)
            return try candidate.answer(&stores[site], call)
        }
        throw .noRoute
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

    private static let routes: [Route] =
        OrderEndpoints.routes + NoteEndpoints.routes + ReceiptEndpoints.routes + PaymentEndpoints.routes
        + CustomerEndpoints.routes + SettingEndpoints.routes + TaxEndpoints.routes + ShipmentEndpoints.routes
        + SystemStatusEndpoints.routes + ReportEndpoints.routes + ProductEndpoints.routes + CommentEndpoints.routes
        + WordPressEndpoints.routes

    // MARK: Answers

    private func bytes(_ reply: Reply, _ parameters: SiteParameters) -> [UInt8] {
        switch reply.content {
        case .bytes(let bytes): return bytes
        case .node(let node):
            let fields = parameters.fields("_fields")
            return (fields.isEverything ? node : node.picking(fields)).bytes
        }
    }

    private func response(_ reply: Reply, _ parameters: SiteParameters, site: Int, route: String?) -> SiteResponse {
        var headers: [(name: String, value: String)] = []
        if let (total, pages) = reply.paging {
            headers += [("X-WP-Total", String(total)), ("X-WP-TotalPages", String(pages))]
            if let route, let links = links(parameters, pages, "\(stores[site].identity.address)/wp-json\(route)") {
                headers.append(("Link", links))
            }
        }
        return .json(bytes(reply, parameters), status: reply.status, headers: headers)
    }

    private func links(_ parameters: SiteParameters, _ pages: Int, _ address: String) -> String? {
        let number = parameters.text("page").flatMap { Int($0) } ?? 1
        let others = parameters.without("page", "rest_route").members.compactMap { member in
            member.value.plainText.map { "\(PercentText.encoded(member.name))=\(PercentText.encoded($0))" }
        }
        func link(_ page: Int, _ relation: String) -> String {
            "<\(address)?\((others + ["page=\(page)"]).joined(separator: "&"))>; rel=\"\(relation)\""
        }
        var links: [String] = []
        if number > 1, pages > 0 { links.append(link(min(number - 1, pages), "prev")) }
        if number < pages { links.append(link(number + 1, "next")) }
        return links.isEmpty ? nil : links.joined(separator: ", ")
    }

    private func tunnelled(_ reply: Reply, _ parameters: SiteParameters) -> SiteResponse {
        let bytes = bytes(reply, parameters)
        var body: [UInt8] = []
        body.reserveCapacity(bytes.count + 16)
        body += "{\"data\":".utf8
        body += bytes
        body.append(UInt8(ascii: "}"))
        return .json(body)
    }

    // MARK: What the owner hears

    private mutating func tellOwner(at now: Timestamp) {
        for index in stores.indices where !stores[index].events.isEmpty {
            for event in stores[index].events {
                guard let subject = stores[index].subject(of: event) else { continue }
                let site = stores[index].identity
                account.notifications.insert(
                    Notification(
                        id: account.nextNotification(), siteID: site.id, siteName: site.name,
                        siteAddress: site.address, subject: subject, created: now), at: 0)
            }
            stores[index].events = []
        }
    }
}
