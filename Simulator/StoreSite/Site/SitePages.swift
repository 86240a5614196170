import Determinism
import Text

/// The pages that programs need: login, nonce, receipts, and the front page that links to the REST API.
enum SitePages {
    static let notFound = SiteResponse.html("<!DOCTYPE html><title>Page not found</title>", status: 404)

    static func answer(
        _ parts: [Substring], _ request: SiteRequest, _ site: Int, _ state: inout SiteState, at now: Timestamp
    ) -> SiteResponse {
        let identity = state.stores[site].identity
        switch (request.method, parts) {
        case ("GET", []), ("HEAD", []):
            var page = SiteResponse.html(
                """
                <!DOCTYPE html><html lang="en"><title>\(identity.name)</title><body>\
                <h1>\(identity.name)</h1>\
                <p>\(identity.tagline)</p></body></html>
                """)
            page.headers.append(("Link", "<\(identity.address)/wp-json/>; rel=\"https://api.w.org/\""))
            return page
        case ("GET", ["wp-login.php"]): return form(problem: nil)
        case ("POST", ["wp-login.php"]): return signIn(request, site, &state)
        case (_, ["wp-admin", "admin-ajax.php"]): return nonce(request, state.accounts[site])
        case ("GET", let parts) where parts.count == 4 && parts[0...2].elementsEqual(["wc", "file", "transient"]):
            return ReceiptEndpoints.page(String(parts[3]), state.stores[site], at: now)
        default: return notFound
        }
    }

    private static func form(problem: String?) -> SiteResponse {
        let words = problem.map { "<div id=\"login_error\" class=\"notice notice-error\"><p>\($0)</p></div>" } ?? ""
        return .html(
            """
            <!DOCTYPE html><html lang="en"><head><title>Log In</title></head><body class="login">\(words)\
            <form name="loginform" id="loginform" action="wp-login.php" method="post"><input name="log">\
            <input type="password" name="pwd"><input type="submit"></form></body></html>
            """)
    }

    private static func signIn(_ request: SiteRequest, _ site: Int, _ state: inout SiteState) -> SiteResponse {
        let fields = FormFields.read(String(decoding: request.body, as: UTF8.self))
        func field(_ name: String) -> String { fields.last { $0.name == name }?.value ?? "" }
        let generator = state.stores[site].generator
        guard let session = state.accounts[site].signIn(field("log"), field("pwd"), generator: generator) else {
            // WordPress shows the form again with status 200.
            return form(problem: "<strong>Error:</strong> The user name or the password is incorrect.")
        }
        let identity = state.stores[site].identity
        let wanted = field("redirect_to")
        // Never redirect to another site.
        let target = wanted.hasPrefix(identity.address + "/") ? wanted : "\(identity.address)/wp-admin/"
        let folder = identity.folder + "/"
        let suffix = "b9f2a6d1c3e84f70"
        return SiteResponse(
            status: 302,
            headers: [
                ("Content-Type", "text/html; charset=UTF-8"), ("Location", FormFields.headerValue(target)),
                ("Set-Cookie", "wordpress_test_cookie=WP%20Cookie%20check; path=\(folder)"),
                ("Set-Cookie", "wordpress_\(suffix)=\(session.cookie); path=\(folder)wp-admin; HttpOnly"),
                ("Set-Cookie", "wordpress_logged_in_\(suffix)=\(session.cookie); path=\(folder); HttpOnly"),
            ])
    }

    private static func nonce(_ request: SiteRequest, _ accounts: SiteAccounts) -> SiteResponse {
        let query = request.target.drop { $0 != "?" }.dropFirst()
        guard FormFields.read(query).contains(where: { $0.name == "action" && $0.value == "rest-nonce" }),
            let session = accounts.session(of: request)
        else { return .text("0", status: 400) }
        return .text(session.nonce)
    }
}

/// The endpoints of every WordPress site: its index, and the user's own account.
enum WordPressEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wp/v2/users/me", isWordPress: true, me),
        Route("GET", "/wp/v2/settings", isWordPress: true, settings),
    ]

    /// Returns the index, which needs no credentials.
    static func index(_ store: SiteStore) -> JSONValue {
        let site = store.identity
        let woo = [
            "wc/v1", "wc/v2", "wc/v3", "wc/store", "wc/store/v1", "wc-analytics", "wc-admin", "wc-telemetry",
            "wc-shipment-tracking/v3",
        ]
        let namespaces = ["oembed/1.0", "jetpack/v4", "wpcom/v2"] + (site.hasWooCommerce ? woo : []) + ["wp/v2"]
        return [
            "name": .text(site.name), "description": .text(site.tagline), "url": .text(site.address),
            "home": .text(site.address), "gmt_offset": site.gmtOffset, "timezone_string": "",
            "namespaces": .list(namespaces.map(JSONValue.text)),
            "authentication": [
                "application-passwords": [
                    "endpoints": [
                        "authorization": .text("\(site.address)/wp-admin/authorize-application.php")
                    ]
                ]
            ], "routes": [:], "site_logo": 0, "site_icon": 0, "site_icon_url": "",
            "_links": ["help": [["href": "https://developer.wordpress.org/rest-api/"]]],
        ]
    }

    private static func me(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let user = call.user
        var members: [JSONValue.Member] = [.init(name: "id", value: .integer(user.id))]
        let isForEditing = call.parameters.text("context") == "edit"
        if isForEditing { members.append(.init(name: "username", value: .text(user.username))) }
        members.append(.init(name: "name", value: .text(user.displayName)))
        if isForEditing {
            members += [
                .init(name: "first_name", value: .text(user.firstName)),
                .init(name: "last_name", value: .text(user.lastName)), .init(name: "email", value: .text(user.email)),
            ]
        }
        members += [
            .init(name: "url", value: ""), .init(name: "description", value: ""),
            .init(name: "link", value: .text("\(store.identity.address)/author/\(user.username)/")),
            .init(name: "slug", value: .text(user.username)),
        ]
        if isForEditing {
            members += [
                .init(name: "roles", value: ["administrator"]),
                .init(name: "registered_date", value: .text(WordPressDate.text(user.registered) + "+00:00")),
                .init(
                    name: "capabilities",
                    value: ["manage_woocommerce": true, "view_woocommerce_reports": true, "administrator": true]),
            ]
        }
        members.append(.init(name: "meta", value: []))
        return Reply(.object(members))
    }

    static func settings(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            [
                "title": .text(store.identity.name), "description": .text(store.identity.tagline),
                "url": .text(store.identity.address), "email": .text(call.user.email), "timezone": "",
                "date_format": "F j, Y", "time_format": "g:i a", "start_of_week": 1, "language": "",
                "show_on_front": "posts", "posts_per_page": 10,
            ])
    }
}
