/// What a site's interface offers.
public struct SiteAPIRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func loadAPI(siteID: Int64) async throws(NetworkError) -> SiteAPI {
        let fields: Parameters = ["_fields": "authentication,namespaces"]
        return try await value(
            JetpackRequest(siteID: siteID, namespace: "", .get, "/", parameters: fields),
            context: DecodingContext(siteID: siteID))
    }
}
