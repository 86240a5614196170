// Made by Scripts/generate from Sources/Networking/Models/Notifications/NoteHash.swift: change that, not this.
public import Networking

extension NoteHash: Fakeable {
    public static func fake(from source: inout FakeSource) -> NoteHash {
        NoteHash(id: .fake(from: &source), noteHash: .fake(from: &source))
    }
}
