/// A setting of the store.
struct SiteSetting: Hashable, Sendable {
    var id: String
    var group: String
    var label: String
    var description: String
    /// `text`, `select`, `checkbox`, `multiselect`, `number`
    var type: String
    var standard: JSONNode
    var value: JSONNode
    /// What a `select` offers: name and words.
    var options: [(name: String, words: String)] = []

    static func == (first: SiteSetting, second: SiteSetting) -> Bool {
        first.id == second.id && first.group == second.group && first.value == second.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(group)
    }

    func accepts(_ value: JSONNode) -> Bool {
        switch type {
        case "checkbox": value == "yes" || value == "no"
        case "select": options.contains { value == .text($0.name) }
        case "multiselect": value.elements?.allSatisfy { $0.plainText != nil } ?? false
        case "number": value.plainText.flatMap { Int64($0) } != nil
        default: value.plainText != nil
        }
    }

    func node(_ links: JSONNode) -> JSONNode {
        var members: [JSONNode.Member] = [
            .init(name: "id", value: .text(id)), .init(name: "label", value: .text(label)),
            .init(name: "description", value: .text(description)), .init(name: "type", value: .text(type)),
            .init(name: "default", value: standard),
        ]
        if !options.isEmpty {
            let words = options.map { JSONNode.Member(name: $0.name, value: .text($0.words)) }
            members.append(.init(name: "options", value: .object(words)))
        }
        members += [
            .init(name: "tip", value: .text(description)), .init(name: "value", value: value),
            .init(name: "group_id", value: .text(group)), .init(name: "_links", value: links),
        ]
        return .object(members)
    }
}
