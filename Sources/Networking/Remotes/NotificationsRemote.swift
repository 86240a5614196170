/// Notifications of an account.
public struct NotificationsRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// `ids`: nil for the latest ones.
    public func loadNotes(_ ids: [Int64]? = nil) async throws(NetworkError) -> ElementList<Note> {
        let fields = "id,note_hash,type,unread,body,subject,timestamp,meta,read,noticon,icon,url,title,subtype,header"
        return try await list(Self.request(ids, fields: fields), in: "notes")
    }

    public func loadHashes(_ ids: [Int64]? = nil) async throws(NetworkError) -> ElementList<NoteHash> {
        try await list(Self.request(ids, fields: "id,note_hash"), in: "notes")
    }

    public func updateReadStatus(_ ids: [Int64], read: Bool) async throws(NetworkError) {
        // A notification counts how often it was read: a large number settles it.
        let count: JSONValue = read ? "9999" : "-9999"
        let counts = Parameters([.init("counts", .object(ids.map { .init(String($0), count) }))])
        let result: SuccessResult = try await value(
            DotcomRequest(.rest1_1, .post, "notifications/read", parameters: counts))
        try result.confirm()
    }

    /// `timestamp`: of the latest notification, as the server writes it.
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
