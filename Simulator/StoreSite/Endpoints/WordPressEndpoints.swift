/// What every WordPress site has: its index, and the user's own account.
enum WordPressEndpoints {
    static let routes: [Route] = [
        Route("GET", "/wp/v2/users/me", isWordPress: true, me),
        Route("GET", "/wp/v2/settings", isWordPress: true, settings),
    ]

    /// Anybody may see it.
    static func index(_ store: Store) -> JSONNode {
        let site = store.identity
        let woo = [
            "wc/v1", "wc/v2", "wc/v3", "wc/store", "wc/store/v1", "wc-analytics", "wc-admin", "wc-telemetry",
            "wc-shipment-tracking/v3",
        ]
        let namespaces = ["oembed/1.0", "jetpack/v4", "wpcom/v2"] + (site.hasWooCommerce ? woo : []) + ["wp/v2"]
        return [
            "name": .text(site.name), "description": .text(site.tagline), "url": .text(site.address),
            "home": .text(site.address), "gmt_offset": site.gmtOffset, "timezone_string": "",
            "namespaces": .list(namespaces.map(JSONNode.text)),
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

    private static func me(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let user = call.user
        var members: [JSONNode.Member] = [.init(name: "id", value: .integer(user.id))]
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
                .init(name: "registered_date", value: .text(WallDate.text(user.registered) + "+00:00")),
                .init(
                    name: "capabilities",
                    value: ["manage_woocommerce": true, "view_woocommerce_reports": true, "administrator": true]),
            ]
        }
        members.append(.init(name: "meta", value: []))
        return Reply(.object(members))
    }

    static func settings(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            [
                "title": .text(store.identity.name), "description": .text(store.identity.tagline),
                "url": .text(store.identity.address), "email": .text(call.user.email), "timezone": "",
                "date_format": "F j, Y", "time_format": "g:i a", "start_of_week": 1, "language": "",
                "show_on_front": "posts", "posts_per_page": 10,
            ])
    }
}
