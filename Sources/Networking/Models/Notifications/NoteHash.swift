/// By which a changed notification is known without reading it.
public struct NoteHash: Codable, Hashable, Sendable {
    public let id: Int64
    public let noteHash: Int64
}
