// Made by Scripts/generate from Sources/Networking/Models/Notifications/NoteHash.swift: change that, not this.
extension NoteHash {
    /// The same with other values for what is given; what is nil stays.
    public func copy(id: Int64? = nil, noteHash: Int64? = nil) -> NoteHash {
        NoteHash(id: id ?? self.id, noteHash: noteHash ?? self.noteHash)
    }
}
