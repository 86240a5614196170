// Made by Scripts/generate from Sources/Networking/Models/Notifications/Note.swift: change that, not this.
public import Networking

extension Note: Fakeable {
    public static func fake(from source: inout FakeSource) -> Note {
        Note(
            id: .fake(from: &source),
            noteHash: .fake(from: &source),
            read: .fake(from: &source),
            icon: .fake(from: &source),
            noticon: .fake(from: &source),
            timestamp: .fake(from: &source),
            type: .fake(from: &source),
            subtype: .fake(from: &source),
            url: .fake(from: &source),
            title: .fake(from: &source),
            subject: .fake(from: &source),
            header: .fake(from: &source),
            body: .fake(from: &source),
            meta: .fake(from: &source),
            deleteInProgress: .fake(from: &source))
    }
}
