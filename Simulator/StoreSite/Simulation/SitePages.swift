internal import Determinism

/// The pages of a site that programs need: signing in, the nonce, receipts, and the front page that says where the REST
/// interface is.
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
                <!DOCTYPE html><html lang="en"><title>\(HTMLText.escaped(identity.name))</title><body>\
                <h1>\(HTMLText.escaped(identity.name))</h1><p>\(HTMLText.escaped(identity.tagline))</p></body></html>
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
        let fields = PercentText.fields(String(decoding: request.body, as: UTF8.self))
        func field(_ name: String) -> String { fields.last { $0.name == name }?.value ?? "" }
        let chance = state.stores[site].chance
        guard let session = state.accounts[site].signIn(field("log"), field("pwd"), chance: chance) else {
            // WordPress shows the form again, and status 200 with it.
            return form(problem: "<strong>Error:</strong> The user name or the password is incorrect.")
        }
        let identity = state.stores[site].identity
        let wanted = field("redirect_to")
        // Nobody is sent to another site.
        let target = wanted.hasPrefix(identity.address + "/") ? wanted : "\(identity.address)/wp-admin/"
        let folder = identity.folder + "/"
        let suffix = "b9f2a6d1c3e84f70"
        return SiteResponse(
            status: 302,
            headers: [
                ("Content-Type", "text/html; charset=UTF-8"), ("Location", PercentText.headerValue(target)),
                ("Set-Cookie", "wordpress_test_cookie=WP%20Cookie%20check; path=\(folder)"),
                ("Set-Cookie", "wordpress_\(suffix)=\(session.cookie); path=\(folder)wp-admin; HttpOnly"),
                ("Set-Cookie", "wordpress_logged_in_\(suffix)=\(session.cookie); path=\(folder); HttpOnly"),
            ])
    }

    private static func nonce(_ request: SiteRequest, _ accounts: SiteAccounts) -> SiteResponse {
        let query = request.target.drop { $0 != "?" }.dropFirst()
        guard PercentText.fields(query).contains(where: { $0.name == "action" && $0.value == "rest-nonce" }),
            let session = accounts.session(of: request)
        else { return .text("0", status: 400) }
        return .text(session.nonce)
    }
}
