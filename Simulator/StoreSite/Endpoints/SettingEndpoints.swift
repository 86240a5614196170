/// `settings`: groups, and settings one by one.
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

    private static func node(_ setting: SiteSetting, _ store: Store) -> JSONNode {
        let group = "wc/v3/settings/\(setting.group)"
        return setting.node(store.identity.links("\(group)/\(setting.id)", collection: group))
    }

    private static func groups(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        Reply(
            .list(
                groupNames.map { group in
                    [
                        "id": .text(group.id), "label": .text(group.label), "description": "", "parent_id": "",
                        "sub_groups": [],
                    ]
                }))
    }

    private static func list(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let settings = store.settings.filter { $0.group == call.text(0) }
        guard !settings.isEmpty else {
            throw SiteError(404, "rest_setting_setting_group_invalid", "Invalid setting group.")
        }
        return Reply(.list(settings.map { node($0, store) }))
    }

    private static func index(_ store: Store, _ call: Call) throws(SiteError) -> Int {
        guard groupNames.contains(where: { $0.id == call.text(0) }) else {
            throw SiteError(404, "rest_setting_setting_group_invalid", "Invalid setting group.")
        }
        let index = store.settings.firstIndex { $0.group == call.text(0) && $0.id == call.text(1) }
        guard let index else { throw SiteError(404, "rest_setting_setting_invalid", "Invalid setting.") }
        return index
    }

    private static func get(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.settings[try index(store, call)], store))
    }

    private static func update(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        guard let value = call.parameters["value"] else { throw .missingParameter("value") }
        guard store.settings[index].accepts(value) else {
            throw SiteError(400, "rest_setting_value_invalid", "An invalid setting value was passed.")
        }
        store.settings[index].value = value
        return Reply(node(store.settings[index], store))
    }
}
