// @model
/// By which a changed notification is known without reading it.
public struct NoteHash: Codable, Hashable, Sendable {
    public let id: Int64
    public let noteHash: Int64

    // Made by Scripts/generate.
    public init(id: Int64, noteHash: Int64) {
        self.id = id
        self.noteHash = noteHash
    }
    // End of what was made.
}
