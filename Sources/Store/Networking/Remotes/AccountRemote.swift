import Text

/// The WordPress.com account and its sites.
public struct AccountRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads the signed-in account.
    public func loadAccount() async throws(NetworkError) -> Account {
        try await value(DotcomRequest(.rest1_1, .get, "me"))
    }

    /// `userID`: the ID of the signed-in account.
    public func loadAccountSettings(userID: Int64) async throws(NetworkError) -> AccountSettings {
        let fields: Parameters = ["fields": "tracks_opt_out,first_name,last_name"]
        return try await value(
            DotcomRequest(.rest1_1, .get, "me/settings", parameters: fields), context: DecodingContext(userID: userID))
    }

    /// `userID`: the ID of the signed-in account.
    public func updateAccountSettings(userID: Int64, tracksOptOut: Bool) async throws(NetworkError) -> AccountSettings {
        let parameters: Parameters = ["tracks_opt_out": .text(tracksOptOut ? "true" : "false")]
        return try await value(
            DotcomRequest(.rest1_1, .post, "me/settings", parameters: parameters),
            context: DecodingContext(userID: userID))
    }

    /// Sites that cannot be decoded are returned as failures.
    public func loadSites() async throws(NetworkError) -> ElementList<Site> {
        let parameters: Parameters = [
            "fields": """
            ID,name,description,URL,options,jetpack,jetpack_connection,capabilities,was_ecommerce_trial,plan
            """,
            "options": """
            timezone,is_wpcom_store,woocommerce_is_active,gmt_offset,jetpack_connection_active_plugins,admin_url,\
            login_url,frame_nonce,blog_public,can_blaze
            """,
        ]
        return try await list(DotcomRequest(.rest1_1, .get, "me/sites", parameters: parameters), in: "sites")
    }

    /// Loads the WordPress.com plan of a site.
    public func loadSitePlan(siteID: Int64) async throws(NetworkError) -> SiteWithPlan {
        try await value(DotcomRequest(.rest1_1, .get, "sites/\(siteID)", parameters: ["fields": "ID,plan"]))
    }

    /// Returns whether WooCommerce is active: a site without it has no route for its settings.
    public func checkIfWooCommerceIsActive(siteID: Int64) async throws(NetworkError) -> Bool {
        do throws(NetworkError) {
            _ = try await sender.send(JetpackRequest(siteID: siteID, .get, "settings", isAvailableOnSite: false))
            return true
        } catch {
            guard case .service(let service) = error, service.kind == .noRestRoute else { throw error }
            return false
        }
    }

    /// Loads the title, the description, and the address of a site from its WordPress settings.
    public func loadWordPressSiteSettings(siteID: Int64) async throws(NetworkError) -> WordPressSiteSettings {
        try await value(DotcomRequest(.wordPress2, .get, "sites/\(siteID)/settings", isAvailableOnSite: true))
    }

    /// Closes the signed-in account for good.
    public func closeAccount() async throws(NetworkError) {
        _ = try await sender.send(DotcomRequest(.rest1_1, .post, "me/account/close"))
    }
}

/// A site's description of itself and of the signed-in user.
public struct SiteIndexRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `siteID`: the site's ID at WordPress.com; not used for a site that is reached directly.
    public func loadIndex(siteID: Int64) async throws(NetworkError) -> SiteIndex {
        let fields: Parameters = ["_fields": "name,description,url,timezone_string,gmt_offset,namespaces"]
        return try await value(JetpackRequest(siteID: siteID, namespace: "", .get, "/", parameters: fields))
    }

    /// Returns the login name of the user.
    public func loadUsername(siteID: Int64) async throws(NetworkError) -> String {
        let user: User = try await value(
            JetpackRequest(
                siteID: siteID, namespace: "wp/v2", .get, "users/me", parameters: ["context": "edit"]))
        // An empty name means no user.
        guard !user.username.isEmpty else { throw .undecodable(DecodingFailure(.missing, at: "username")) }
        return user.username
    }

    /// Returns the version of WooCommerce, for example `9.3.3`. Only store managers have access.
    public func loadWooCommerceVersion(siteID: Int64) async throws(NetworkError) -> String {
        let status: SystemStatus = try await value(
            JetpackRequest(siteID: siteID, .get, "system_status", parameters: ["_fields": "environment"]))
        return status.environment.version
    }

    private struct User: Decodable, Sendable {
        let username: String
    }

    private struct SystemStatus: Decodable, Sendable {
        struct Environment: Decodable, Sendable {
            let version: String
        }

        let environment: Environment
    }
}

/// The capabilities of a site's REST interface.
public struct SiteAPIRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads the namespaces and the ways to authenticate that the site's index lists.
    public func loadAPI(siteID: Int64) async throws(NetworkError) -> SiteAPI {
        let fields: Parameters = ["_fields": "authentication,namespaces"]
        return try await value(
            JetpackRequest(siteID: siteID, namespace: "", .get, "/", parameters: fields),
            context: DecodingContext(siteID: siteID))
    }
}
