import Text

/// Notifications of an account.
public struct NotificationsRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `ids`: nil for the latest notifications.
    public func loadNotes(_ ids: [Int64]? = nil) async throws(NetworkError) -> ElementList<Note> {
        let fields = "id,note_hash,type,unread,body,subject,timestamp,meta,read,noticon,icon,url,title,subtype,header"
        return try await list(Self.request(ids, fields: fields), in: "notes")
    }

    /// Loads the hash of each notification, which changes with its contents. Without IDs, loads those of the newest
    /// 100.
    public func loadHashes(_ ids: [Int64]? = nil) async throws(NetworkError) -> ElementList<NoteHash> {
        try await list(Self.request(ids, fields: "id,note_hash"), in: "notes")
    }

    /// Marks notifications as read or unread.
    public func updateReadStatus(_ ids: [Int64], read: Bool) async throws(NetworkError) {
        // A notification counts how often it was read. A large number marks it as read or unread.
        let count: JSONValue = read ? "9999" : "-9999"
        let counts = Parameters([.init("counts", .object(ids.map { .init(String($0), count) }))])
        let result: SuccessResult = try await value(
            DotcomRequest(.rest1_1, .post, "notifications/read", parameters: counts))
        try result.confirm()
    }

    /// `timestamp`: the time of the latest notification, in the server's format.
    public func updateLastSeen(_ timestamp: String) async throws(NetworkError) {
        let result: SuccessResult = try await value(
            DotcomRequest(.rest1_1, .post, "notifications/seen", parameters: ["time": .text(timestamp)]))
        try result.confirm()
    }

    private static func request(_ ids: [Int64]?, fields: String) -> DotcomRequest {
        var parameters: Parameters = ["fields": .text(fields)]
        if let ids {
            parameters.add("ids", .text(ids.map(String.init).joined(separator: ",")))
        } else {
            parameters.add("number", 100)
        }
        return DotcomRequest(.rest1_1, .get, "notifications", parameters: parameters)
    }
}

/// The devices that receive notifications.
public struct DevicesRemote: Remote {
    /// The description of a device.
    public struct Device: Hashable, Sendable {
        public let token: String
        public let family: String
        public let name: String
        public let model: String
        public let osVersion: String
        public let uuid: String?

        /// Describes a device. Notifications go to its `token`.
        public init(
            token: String, family: String, name: String, model: String, osVersion: String, uuid: String? = nil
        ) {
            (self.token, self.family, self.name) = (token, family, name)
            (self.model, self.osVersion, self.uuid) = (model, osVersion, uuid)
        }
    }

    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Registers a device for push notifications of the account's stores.
    public func registerDevice(
        _ device: Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64
    ) async throws(NetworkError) -> DotcomDevice {
        var parameters: Parameters = [
            "app_secret_key": .text(applicationID), "device_family": .text(device.family),
            "device_token": .text(device.token), "device_model": .text(device.model),
            "device_name": .text(device.name), "app_version": .text(applicationVersion),
            "os_version": .text(device.osVersion), "selected_blog_id": JSONValue(defaultStoreID),
        ]
        parameters.add("device_uuid", ifPresent: device.uuid)
        return try await value(DotcomRequest(.rest1_1, .post, "devices/new", parameters: parameters))
    }

    /// Ends the push notifications to a device, by the ID of its registration.
    public func unregisterDevice(_ deviceID: String) async throws(NetworkError) {
        let device = PercentEncoding.encode(deviceID)
        let result: SuccessResult = try await value(DotcomRequest(.rest1_1, .post, "devices/\(device)/delete"))
        try result.confirm()
    }
}

/// Comments and reviews.
public struct CommentRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Changes the status of a comment, and returns the status that it has then.
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

    /// A site's word for WordPress.com's `unapproved`.
    private static let unapprovedOnSite = "hold"

    /// `productID`: the product of the original comment.
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
