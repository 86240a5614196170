/// The WordPress.com account and its sites.
public struct AccountRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func loadAccount() async throws(NetworkError) -> Account {
        try await value(DotcomRequest(.rest1_1, .get, "me"))
    }

    /// `userID`: of the account that is signed in.
    public func loadAccountSettings(userID: Int64) async throws(NetworkError) -> AccountSettings {
        let fields: Parameters = ["fields": "tracks_opt_out,first_name,last_name"]
        return try await value(
            DotcomRequest(.rest1_1, .get, "me/settings", parameters: fields), context: DecodingContext(userID: userID))
    }

    /// `userID`: of the account that is signed in.
    public func updateAccountSettings(userID: Int64, tracksOptOut: Bool) async throws(NetworkError) -> AccountSettings {
        let parameters: Parameters = ["tracks_opt_out": .text(tracksOptOut ? "true" : "false")]
        return try await value(
            DotcomRequest(.rest1_1, .post, "me/settings", parameters: parameters),
            context: DecodingContext(userID: userID))
    }

    /// Sites that cannot be read are reported beside those that can.
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

    public func loadSitePlan(siteID: Int64) async throws(NetworkError) -> SiteWithPlan {
        try await value(DotcomRequest(.rest1_1, .get, "sites/\(siteID)", parameters: ["fields": "ID,plan"]))
    }

    /// Whether WooCommerce is there: a site without it does not know the way to its settings.
    public func checkIfWooCommerceIsActive(siteID: Int64) async throws(NetworkError) -> Bool {
        do throws(NetworkError) {
            _ = try await sender.send(JetpackRequest(siteID: siteID, .get, "settings", isAvailableOnSite: false))
            return true
        } catch {
            guard case .service(let service) = error, service.kind == .noRestRoute else { throw error }
            return false
        }
    }

    public func loadWordPressSiteSettings(siteID: Int64) async throws(NetworkError) -> WordPressSiteSettings {
        try await value(DotcomRequest(.wordPress2, .get, "sites/\(siteID)/settings", isAvailableOnSite: true))
    }

    public func closeAccount() async throws(NetworkError) {
        _ = try await sender.send(DotcomRequest(.rest1_1, .post, "me/account/close"))
    }
}
