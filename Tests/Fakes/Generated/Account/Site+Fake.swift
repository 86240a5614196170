// Made by Scripts/generate from Sources/Networking/Models/Account/Site.swift: change that, not this.
public import Networking

extension Site: Fakeable {
    public static func fake(from source: inout FakeSource) -> Site {
        Site(
            id: .fake(from: &source),
            name: .fake(from: &source),
            description: .fake(from: &source),
            url: .fake(from: &source),
            jetpack: .fake(from: &source),
            jetpackConnection: .fake(from: &source),
            wasEcommerceTrial: .fake(from: &source),
            plan: .fake(from: &source),
            capabilities: .fake(from: &source),
            options: .fake(from: &source))
    }
}
