import Determinism
import Text

/// The endpoints of WordPress.com itself.
enum DotcomEndpoints {
    private static let unknownBlog = SiteError(404, "unknown_blog", "Unknown blog")

    /// Answers `rest/v1.1`; `path` has the parts after it.
    static func rest(
        _ method: String, _ path: [Substring], _ parameters: SiteParameters, _ state: inout SiteState, _ now: Timestamp
    ) throws(SiteError) -> JSONValue {
        let fields = parameters.fields("fields")
        let names = path.map(String.init)
        switch (method, names.first, names.count) {
        case ("GET", "me", 1): return me(state).picking(fields)
        case (_, "me", 2) where names[1] == "settings": return try settings(method, parameters, &state).picking(fields)
        case ("GET", "me", 2) where names[1] == "sites":
            return ["sites": .list(state.stores.map { site($0).picking(fields) })]
        case ("POST", "me", 3) where names[1] == "account" && names[2] == "close":
            state.account.isClosed = true
            return ["success": true]
        case (_, "notifications", _):
            return try notifications(method, Array(names.dropFirst()), parameters, &state)
        case ("POST", "devices", 2) where names[1] == "new": return try newDevice(parameters, &state)
        case ("POST", "devices", 3) where names[2] == "delete":
            guard let id = Int64(names[1]), state.account.devices.removeValue(forKey: id) != nil else {
                throw SiteError(404, "not_found", "The device is not registered.")
            }
            return ["success": true]
        case (_, "sites", 2...):
            let index = try index(names[1], state)
            return try ofSite(index, method, Array(names.dropFirst(2)), parameters, &state, now)
        default: throw SiteError(404, "unknown_endpoint", "Unknown endpoint")
        }
    }

    /// Answers `wpcom/v2/sites/{id}/…` and `wp/v2/sites/{id}/…`; `path` has the parts after `sites`.
    static func namespaced(
        _ namespace: String, _ method: String, _ path: [Substring], _ parameters: SiteParameters,
        _ state: inout SiteState, _ now: Timestamp
    ) throws(SiteError) -> Reply {
        guard let first = path.first else { throw .noRoute }
        let index = try index(String(first), state)
        let rest = path.dropFirst().map(String.init)
        let call = Call(
            method: method, route: "/\(namespace)/" + rest.joined(separator: "/"), parameters: parameters, now: now,
            user: state.user)
        switch (namespace, method, rest) {
        case ("wp/v2", "GET", ["settings"]): return try WordPressEndpoints.settings(&state.stores[index], call)
        case ("wp/v2", "POST", ["comments"]): return try CommentEndpoints.reply(&state.stores[index], call)
        case ("wpcom/v2", "GET", ["stats", "orders"]):
            return Reply(try DotcomStats.orders(parameters, state.stores[index], now))
        default: throw .noRoute
        }
    }

    static func index(_ id: String, _ state: SiteState) throws(SiteError) -> Int {
        guard let id = Int64(id), let index = state.stores.firstIndex(where: { $0.identity.id == id }) else {
            throw unknownBlog
        }
        return index
    }

    private static func ofSite(
        _ index: Int, _ method: String, _ names: [String], _ parameters: SiteParameters, _ state: inout SiteState,
        _ now: Timestamp
    ) throws(SiteError) -> JSONValue {
        switch (method, names.first, names.count) {
        case ("GET", nil, 0): return site(state.stores[index]).picking(parameters.fields("fields"))
        case ("GET", "comments", 1):
            let shown = state.stores[index].reviews.filter { $0.status == .approved || $0.status == .unapproved }
            var comments: [JSONValue] = []
            for review in shown.reversed().prefix(100) {
                comments.append(try CommentEndpoints.dotcomComment(review.id, state.stores[index]))
            }
            return ["found": .integer(shown.count), "comments": .list(comments)]
        case ("GET", "comments", 2):
            return try CommentEndpoints.dotcomComment(Int64(names[1]) ?? -1, state.stores[index])
        case ("POST", "comments", 2):
            return try CommentEndpoints.dotcomModerate(Int64(names[1]) ?? -1, parameters, &state.stores[index])
        case ("GET", "stats", 2):
            switch names[1] {
            case "visits": return try DotcomStats.visits(parameters, state.stores[index], now)
            case "summary": return try DotcomStats.summary(parameters, state.stores[index], now)
            case "top-earners": return try DotcomStats.topEarners(parameters, state.stores[index], now)
            default: throw SiteError(404, "unknown_endpoint", "Unknown endpoint")
            }
        default: throw SiteError(404, "unknown_endpoint", "Unknown endpoint")
        }
    }

    // MARK: Account

    private static func me(_ state: SiteState) -> JSONValue {
        [
            "ID": .integer(state.account.id), "display_name": .text(state.user.displayName),
            "username": .text(state.user.username), "email": .text(state.user.email),
            "primary_blog": .integer(state.stores.first?.identity.id ?? 0), "language": "en", "token_site_id": false,
            "avatar_URL": "https://1.gravatar.com/avatar/?s=96&d=identicon", "profile_URL": "https://gravatar.com/",
            "verified": true, "email_verified": true,
            "date": .text(WordPressDate.text(state.user.registered) + "+00:00"),
            "site_count": .integer(state.stores.count), "visible_site_count": .integer(state.stores.count),
            "has_unseen_notes": .bool(state.account.notifications.contains { !$0.isRead }),
        ]
    }

    private static func settings(
        _ method: String, _ parameters: SiteParameters, _ state: inout SiteState
    ) throws(SiteError) -> JSONValue {
        switch method {
        case "GET":
            return [
                "tracks_opt_out": .bool(state.account.optsOutOfTracking), "first_name": .text(state.user.firstName),
                "last_name": .text(state.user.lastName), "user_login": .text(state.user.username),
                "user_email": .text(state.user.email), "display_name": .text(state.user.displayName), "language": "en",
            ]
        case "POST":
            var changed: [JSONValue.Member] = []
            if let flag = try parameters.flag("tracks_opt_out") {
                state.account.optsOutOfTracking = flag
                changed.append(.init(name: "tracks_opt_out", value: .bool(flag)))
            }
            // The answer contains only the changed settings.
            return .object(changed)
        default: throw SiteError(404, "unknown_endpoint", "Unknown endpoint")
        }
    }

    private static func site(_ store: SiteStore) -> JSONValue {
        let site = store.identity
        return [
            "ID": .integer(site.id), "name": .text(site.name), "description": .text(site.tagline),
            "URL": .text(site.address),
            "capabilities": [
                "edit_pages": true, "edit_posts": true, "manage_options": true, "moderate_comments": true,
                "own_site": true, "view_stats": true, "activate_plugins": true,
            ], "jetpack": true, "jetpack_connection": true, "is_multisite": false, "visible": true,
            "is_private": false, "was_ecommerce_trial": false,
            "options": [
                "timezone": "", "gmt_offset": site.gmtOffset, "login_url": .text("\(site.address)/wp-login.php"),
                "admin_url": .text("\(site.address)/wp-admin/"), "is_wpcom_store": false,
                "woocommerce_is_active": .bool(site.hasWooCommerce), "frame_nonce": "",
                "jetpack_connection_active_plugins": ["jetpack"], "blog_public": 1, "can_blaze": false,
                "software_version": "6.6.2", "unmapped_url": .text(site.address),
            ],
            "plan": [
                "product_id": 2002, "product_slug": "jetpack_free", "product_name": "Jetpack Free",
                "product_name_short": "Free", "expired": false, "is_free": true, "user_is_owner": false,
            ],
        ]
    }

    // MARK: Notifications and devices

    private static func notifications(
        _ method: String, _ names: [String], _ parameters: SiteParameters, _ state: inout SiteState
    ) throws(SiteError) -> JSONValue {
        let fields = parameters.fields("fields")
        switch (method, names.first) {
        case ("GET", nil):
            let number = try parameters.integer("number", in: 1...100, default: 10)
            var notes = state.account.notifications
            if let ids = parameters.words("ids").map({ Set($0.compactMap { Int64($0) }) }) {
                notes.removeAll { !ids.contains($0.id) }
            } else {
                notes = Array(notes.prefix(number))
            }
            return [
                "last_seen_time": .text(state.account.lastSeen), "number": .integer(notes.count),
                "notes": .list(notes.map { $0.node.picking(fields) }),
            ]
        case ("GET", let id?):
            guard let note = state.account.notifications.first(where: { String($0.id) == id }) else {
                throw SiteError(404, "unknown_note", "Unknown notification")
            }
            return ["number": 1, "notes": [note.node.picking(fields)]]
        case ("POST", "read"):
            guard case .object(let counts)? = parameters["counts"] else {
                throw SiteError(400, "missing_parameter", "Missing parameter: counts")
            }
            for count in counts {
                guard let change = count.value.plainText.flatMap({ Int64($0) }) else {
                    throw SiteError(400, "invalid_counts", "A count is not a number.")
                }
                for index in state.account.notifications.indices
                where String(state.account.notifications[index].id) == count.name {
                    state.account.notifications[index].isRead = change > 0
                }
            }
            return ["success": true, "updated": .list(counts.map { .text($0.name) })]
        case ("POST", "seen"):
            guard let time = parameters.text("time"), !time.isEmpty else {
                throw SiteError(400, "missing_parameter", "Missing parameter: time")
            }
            state.account.lastSeen = time
            return ["success": true, "last_seen_time": .text(time)]
        default: throw SiteError(404, "unknown_endpoint", "Unknown endpoint")
        }
    }

    private static func newDevice(_ parameters: SiteParameters, _ state: inout SiteState) throws(SiteError) -> JSONValue
    {
        guard let token = parameters.text("device_token"), !token.isEmpty, parameters.text("device_family") != nil
        else { throw SiteError(400, "missing_parameter", "device_token and device_family are required.") }
        // A device that registers again keeps its number.
        let known = state.account.devices.first { $0.value == token }?.key
        if known == nil { state.account.lastDevice += 1 }
        let id = known ?? state.account.lastDevice
        state.account.devices[id] = token
        return [
            "ID": .text(String(id)),
            "settings": [
                "comments": ["desc": "Comments", "long_desc": "Someone comments one of my posts", "value": "1"]
            ],
        ]
    }
}

/// The owner's data at WordPress.com.
struct DotcomAccount: Sendable {
    var token: SitePassword
    var id: Int64 = 78_972_699
    var optsOutOfTracking = false
    var isClosed = false
    /// Newest first.
    var notifications: [Notification] = []
    var lastSeen = "0"
    /// The device tokens by device number.
    var devices: [Int64: String] = [:]
    var lastDevice: Int64 = 12_345_600
    private var lastNotification: Int64 = 3_500_000_000

    init(token: SitePassword) { self.token = token }

    mutating func nextNotification() -> Int64 {
        lastNotification += 7
        return lastNotification
    }

    /// - Throws: the error of WordPress.com for a request without the owner's token.
    func check(_ request: SiteRequest) throws(SiteError) {
        guard let header = request.header("authorization") else {
            throw SiteError(
                403, "authorization_required",
                "An active access token must be used to query information about the current user.")
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard !isClosed, parts.count == 2, parts[0].lowercased() == "bearer", token.matches(parts[1]) else {
            throw SiteError(401, "invalid_token", "The OAuth2 token is invalid.")
        }
    }
}
