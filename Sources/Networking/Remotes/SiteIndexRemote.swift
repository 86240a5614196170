/// What a site says about itself and about the user who asks.
public struct SiteIndexRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// `siteID`: as WordPress.com knows it; anything for a site that is asked directly.
    public func loadIndex(siteID: Int64) async throws(NetworkError) -> SiteIndex {
        let fields: Parameters = ["_fields": "name,description,url,timezone_string,gmt_offset,namespaces"]
        return try await value(JetpackRequest(siteID: siteID, namespace: "", .get, "/", parameters: fields))
    }

    /// The name by which the user signs in.
    public func loadUsername(siteID: Int64) async throws(NetworkError) -> String {
        let user: User = try await value(
            JetpackRequest(
                siteID: siteID, namespace: "wp/v2", .get, "users/me", parameters: ["context": "edit"]))
        // An empty answer is nobody.
        guard !user.username.isEmpty else { throw .undecodable(DecodingFailure(.missing, at: "username")) }
        return user.username
    }

    /// WooCommerce's version, for example `9.3.3`. Only those who manage the store may see it.
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
