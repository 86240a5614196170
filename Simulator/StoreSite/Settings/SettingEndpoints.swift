import Text

/// `settings`: groups and single settings.
enum SettingEndpoints {
    static let routes: [Route] = ["wc/v3", "wc/v2"].flatMap { version in
        [
            Route("GET", "/\(version)/settings", groups), Route("GET", "/\(version)/settings/*", list),
            Route("GET", "/\(version)/settings/*/*", get),
        ] + Route.changes("/\(version)/settings/*/*", update)
    }

    private static let groupNames: [(id: String, label: String)] = [
        ("general", "General"), ("products", "Products"), ("tax", "Tax"), ("advanced", "Advanced"),
    ]

    private static func node(_ setting: SiteSetting, _ store: SiteStore) -> JSONValue {
        let group = "wc/v3/settings/\(setting.group)"
        return setting.node(store.identity.links("\(group)/\(setting.id)", collection: group))
    }

    private static func groups(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            .list(
                groupNames.map { group in
                    [
                        "id": .text(group.id), "label": .text(group.label), "description": "", "parent_id": "",
                        "sub_groups": [],
                    ]
                }))
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let settings = store.settings.filter { $0.group == call.text(0) }
        guard !settings.isEmpty else {
            throw SiteError(404, "rest_setting_setting_group_invalid", "Invalid setting group.")
        }
        return Reply(.list(settings.map { node($0, store) }))
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        guard groupNames.contains(where: { $0.id == call.text(0) }) else {
            throw SiteError(404, "rest_setting_setting_group_invalid", "Invalid setting group.")
        }
        let index = store.settings.firstIndex { $0.group == call.text(0) && $0.id == call.text(1) }
        guard let index else { throw SiteError(404, "rest_setting_setting_invalid", "Invalid setting.") }
        return index
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.settings[try index(store, call)], store))
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        guard let value = call.parameters["value"] else { throw .missingParameter("value") }
        guard store.settings[index].accepts(value) else {
            throw SiteError(400, "rest_setting_value_invalid", "An invalid setting value was passed.")
        }
        store.settings[index].value = value
        return Reply(node(store.settings[index], store))
    }
}

/// A setting of the store.
struct SiteSetting: Sendable {
    var id: String
    var group: String
    var label: String
    var description: String
    /// `text`, `select`, `checkbox`, `multiselect`, or `number`.
    var type: String
    var standard: JSONValue
    var value: JSONValue
    /// The options of a `select`: name and label.
    var options: [(name: String, words: String)] = []

    func accepts(_ value: JSONValue) -> Bool {
        switch type {
        case "checkbox": value == "yes" || value == "no"
        case "select": options.contains { value == .text($0.name) }
        case "multiselect": value.elements?.allSatisfy { $0.plainText != nil } ?? false
        case "number": value.plainText.flatMap { Int64($0) } != nil
        default: value.plainText != nil
        }
    }

    func node(_ links: JSONValue) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "id", value: .text(id)), .init(name: "label", value: .text(label)),
            .init(name: "description", value: .text(description)), .init(name: "type", value: .text(type)),
            .init(name: "default", value: standard),
        ]
        if !options.isEmpty {
            let words = options.map { JSONValue.Member(name: $0.name, value: .text($0.words)) }
            members.append(.init(name: "options", value: .object(words)))
        }
        members += [
            .init(name: "tip", value: .text(description)), .init(name: "value", value: value),
            .init(name: "group_id", value: .text(group)), .init(name: "_links", value: links),
        ]
        return .object(members)
    }
}
