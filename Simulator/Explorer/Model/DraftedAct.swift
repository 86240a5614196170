/// Something that can be made to happen in the middle of a step, and what the coverage calls it.
struct DraftedAct: Hashable, Sendable {
    var name: String
    /// The keys of the scenario's interruption, without those that say when.
    var entries: [DraftEntry]

    init(_ name: String, _ key: String, _ value: DraftNode) {
        (self.name, entries) = (name, [DraftEntry(key, value)])
    }

    /// One that is a word.
    init(_ name: String, word: String) { self.init(name, "do", .text(word)) }
}
