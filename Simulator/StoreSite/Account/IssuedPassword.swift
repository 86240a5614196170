internal import Determinism

/// An application password that a site has given out.
struct IssuedPassword: Sendable {
    var uuid: String
    var applicationID: String
    var name: String
    var password: SitePassword
    var created: Timestamp
    var lastUsed: Timestamp?

    /// Without the password.
    func members(_ site: StoreIdentity) -> [JSONNode.Member] {
        [
            .init(name: "uuid", value: .text(uuid)), .init(name: "app_id", value: .text(applicationID)),
            .init(name: "name", value: .text(name)), .init(name: "created", value: .text(WallDate.text(created))),
            .init(name: "last_used", value: .optional(lastUsed.map { WallDate.text($0) })),
            .init(name: "last_ip", value: lastUsed == nil ? .null : "127.0.0.1"),
            .init(
                name: "_links",
                value: site.links(
                    "wp/v2/users/1/application-passwords/\(uuid)", collection: "wp/v2/users/1/application-passwords")),
        ]
    }
}
