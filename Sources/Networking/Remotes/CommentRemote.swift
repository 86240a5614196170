/// Comments and reviews.
public struct CommentRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func moderate(
        siteID: Int64, commentID: Int64, status: CommentStatus
    ) async throws(NetworkError) -> CommentStatus {
        let parameters: Parameters = ["context": "edit", "force": "true", "status": .text(status.rawValue)]
        let word = status == .unapproved ? Self.unapprovedOnSite : status.rawValue
        let request = DotcomRequest(
            .rest1_1, .post, "sites/\(siteID)/comments/\(commentID)", parameters: parameters,
            onSite: SiteRoute(
                namespace: DotcomRequest.Version.wordPress2.rawValue, path: "comments/\(commentID)",
                parameters: ["status": .text(word)]))
        let moderation: CommentModeration = try await value(request)
        return moderation.status.rawValue == Self.unapprovedOnSite ? .unapproved : moderation.status
    }

    /// A site's own word for what WordPress.com calls unapproved.
    private static let unapprovedOnSite = "hold"

    /// `productID`: what the comment that is replied to is about.
    public func reply(
        siteID: Int64, commentID: Int64, productID: Int64, content: String
    ) async throws(NetworkError) -> CommentReply {
        let parameters: Parameters = [
            "content": .text(content), "parent": JSONValue(commentID), "post": JSONValue(productID),
        ]
        return try await value(
            DotcomRequest(
                .wordPress2, .post, "sites/\(siteID)/comments", parameters: parameters, isAvailableOnSite: true))
    }
}
