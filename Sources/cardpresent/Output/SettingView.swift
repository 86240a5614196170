internal import Networking
internal import Yosemite

/// A setting of a store as JSON.
struct SettingView: Encodable, Sendable {
    var group: String
    var name: String
    var label: String
    /// A text; a JSON text for a choice of several.
    @Nullable var value: String?

    init(_ setting: SiteSetting) {
        (group, name, label) = (setting.groupID, setting.id, setting.label)
        _value = Nullable(wrappedValue: setting.value.map { $0.textValue ?? $0.jsonText })
    }

    var row: [String] { [group, name, value ?? ""] }
}
