/// The passwords that a site made for programs.
public struct ApplicationPasswordRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// Takes a password of the user back: from then on it opens nothing.
    ///
    /// `uuid`: by which the site knows the password; it may be the one that this request goes with.
    public func revoke(uuid: String) async throws(NetworkError) {
        _ = try await sender.send(
            JetpackRequest(
                siteID: 0, namespace: "wp/v2", .delete, "users/me/application-passwords/\(uuid)"))
    }
}
