// Made by Scripts/generate from Sources/Networking/Models/Account/WordPressSiteSettings.swift: change that, not this.
public import Networking

extension WordPressSiteSettings: Fakeable {
    public static func fake(from source: inout FakeSource) -> WordPressSiteSettings {
        WordPressSiteSettings(title: .fake(from: &source), description: .fake(from: &source), url: .fake(from: &source))
    }
}
