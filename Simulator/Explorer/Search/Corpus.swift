/// Sessions that showed something new, to be varied. Of very many the oldest are forgotten.
struct Corpus: Sendable {
    private(set) var drafts: [SessionDraft] = []

    private static let most = 400

    mutating func add(_ draft: SessionDraft) {
        drafts.append(draft)
        if drafts.count > Self.most { drafts.removeFirst() }
    }
}
