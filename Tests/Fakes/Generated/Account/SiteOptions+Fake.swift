// Made by Scripts/generate from Sources/Networking/Models/Account/SiteOptions.swift: change that, not this.
public import Networking

extension SiteOptions: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteOptions {
        SiteOptions(
            adminURL: .fake(from: &source),
            loginURL: .fake(from: &source),
            frameNonce: .fake(from: &source),
            timezone: .fake(from: &source),
            gmtOffset: .fake(from: &source),
            isWPComStore: .fake(from: &source),
            woocommerceIsActive: .fake(from: &source),
            jetpackConnectionActivePlugins: .fake(from: &source),
            blogPublic: .fake(from: &source),
            canBlaze: .fake(from: &source))
    }
}
