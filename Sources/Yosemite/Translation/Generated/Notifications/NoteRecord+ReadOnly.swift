// Made by Scripts/generate from Sources/Networking/Models/Notifications/Note.swift: change that, not this.
public import Networking
public import Storage

extension NoteRecord: ReadOnlyConvertible {
    public init(_ model: Note) {
        self.init(
            id: model.id,
            noteHash: model.noteHash,
            read: model.read,
            icon: model.icon,
            noticon: model.noticon,
            timestamp: model.timestamp,
            type: model.type,
            subtype: model.subtype,
            url: model.url,
            title: model.title,
            subject: JSONColumn.text(model.subject),
            header: JSONColumn.text(model.header),
            body: JSONColumn.text(model.body),
            meta: model.meta.map(JSONColumn.text),
            deleteInProgress: model.deleteInProgress)
    }

    public func toReadOnly() throws -> Note {
        try Note(
            id: id,
            noteHash: noteHash,
            read: read,
            icon: icon,
            noticon: noticon,
            timestamp: timestamp,
            type: type,
            subtype: subtype,
            url: url,
            title: title,
            subject: json(subject, "subject"),
            header: json(header, "header"),
            body: json(body, "body"),
            meta: meta.map { try json($0, "meta") },
            deleteInProgress: deleteInProgress)
    }
}

extension Note: ReadOnlyType {
    public typealias Record = NoteRecord

    public func isReadOnlyRepresentation(of record: NoteRecord) -> Bool {
        id == record.id
    }
}
