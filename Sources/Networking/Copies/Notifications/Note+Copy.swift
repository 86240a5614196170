// Made by Scripts/generate from Sources/Networking/Models/Notifications/Note.swift: change that, not this.
public import Determinism

extension Note {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        noteHash: Int64? = nil,
        read: Bool? = nil,
        icon: String?? = nil,
        noticon: String?? = nil,
        timestamp: Timestamp? = nil,
        type: String? = nil,
        subtype: String?? = nil,
        url: String?? = nil,
        title: String?? = nil,
        subject: [JSONValue]? = nil,
        header: [JSONValue]? = nil,
        body: [JSONValue]? = nil,
        meta: JSONValue?? = nil,
        deleteInProgress: Bool? = nil
    ) -> Note {
        Note(
            id: id ?? self.id,
            noteHash: noteHash ?? self.noteHash,
            read: read ?? self.read,
            icon: icon ?? self.icon,
            noticon: noticon ?? self.noticon,
            timestamp: timestamp ?? self.timestamp,
            type: type ?? self.type,
            subtype: subtype ?? self.subtype,
            url: url ?? self.url,
            title: title ?? self.title,
            subject: subject ?? self.subject,
            header: header ?? self.header,
            body: body ?? self.body,
            meta: meta ?? self.meta,
            deleteInProgress: deleteInProgress ?? self.deleteInProgress)
    }
}
