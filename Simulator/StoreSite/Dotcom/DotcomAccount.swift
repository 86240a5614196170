/// What WordPress.com knows of the owner.
struct DotcomAccount: Sendable {
    var token: SitePassword
    var id: Int64 = 78_972_699
    var optsOutOfTracking = false
    var isClosed = false
    /// Newest first.
    var notifications: [Notification] = []
    var lastSeen = "0"
    /// The names that devices were registered with, by their numbers.
    var devices: [Int64: String] = [:]
    var lastDevice: Int64 = 12_345_600
    private var lastNotification: Int64 = 3_500_000_000

    init(token: SitePassword) { self.token = token }

    mutating func nextNotification() -> Int64 {
        lastNotification += 7
        return lastNotification
    }

    /// - Throws: as WordPress.com refuses a request without the owner's token.
    func check(_ request: SiteRequest) throws(SiteError) {
        guard let header = request.header("authorization") else {
            throw SiteError(
                403, "authorization_required",
                "An active access token must be used to query information about the current user.")
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard !isClosed, parts.count == 2, parts[0].lowercased() == "bearer", token.matches(parts[1]) else {
            throw SiteError(401, "invalid_token", "The OAuth2 token is invalid.")
        }
    }
}
