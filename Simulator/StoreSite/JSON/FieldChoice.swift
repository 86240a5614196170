/// The members of an answer that were asked for by `_fields`: names with commas between, `a.b` for one inside another.
struct FieldChoice: Hashable, Sendable {
    private var inner: [String: FieldChoice] = [:]
    /// Whether nothing was chosen, so that everything is.
    private(set) var isEverything = true

    init() {}

    init(_ names: [String]) {
        for name in names { choose(name.split(separator: ".", omittingEmptySubsequences: true).map(String.init)[...]) }
    }

    /// What was chosen inside the member; nil when it was not chosen.
    subscript(name: String) -> FieldChoice? { isEverything ? FieldChoice() : inner[name] }

    private mutating func choose(_ path: ArraySlice<String>) {
        guard let name = path.first else { return }
        isEverything = false
        let rest = path.dropFirst()
        // The whole of something is more than a part of it.
        if let known = inner[name], known.isEverything { return }
        var part = rest.isEmpty ? FieldChoice() : inner[name] ?? FieldChoice()
        if !rest.isEmpty { part.choose(rest) }
        inner[name] = part
    }
}
