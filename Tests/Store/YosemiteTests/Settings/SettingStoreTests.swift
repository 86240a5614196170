import Networking
import TestDoubles
import Testing
import Text

@testable import Yosemite

/// Settings of a site: what is asked, and what is kept.
struct SettingStoreTests {
    private let session: SiteStoresBench

    init() throws { session = try SiteStoresBench() }

    private static func json(_ id: String, _ value: String, group: String? = nil) -> String {
        let group = group.map { #","group_id":"\#($0)""# } ?? ""
        return #"{"id":"\#(id)","label":"L","description":"D","type":"text","value":"\#(value)"\#(group)}"#
    }

    private static func setting(
        _ id: String, _ value: String, group: SiteSettingGroup = .general, site: Int64 = 5
    ) -> SiteSetting {
        SiteSetting(
            siteID: site, id: id, label: "L", description: "D", type: "text", value: .text(value),
            groupID: group.rawValue)
    }

    private func names() throws -> [String] {
        try session.kept(SiteSetting.self).map { "\($0.siteID) \($0.groupID) \($0.id) \($0.text)" }
    }

    @Test func `a fetched group replaces the stored settings of that group and site only`() async throws {
        try session.keep([
            Self.setting("woocommerce_currency", "USD"), Self.setting("gone", "x"),
            Self.setting("gone", "x", group: .product), Self.setting("gone", "x", site: 6),
        ])
        session.network.simulate(
            "/wc/v3/settings/general", json: "[\(Self.json("woocommerce_currency", "EUR")),\(Self.json("new", "y"))]")
        let list: ElementList<SiteSetting> = try await session.value {
            SettingAction.synchronizeGeneralSiteSettings(siteID: 5, onCompletion: $0)
        }
        #expect(list.elements.map(\.id) == ["woocommerce_currency", "new"])
        #expect(
            try names() == [
                "5 general new y", "5 general woocommerce_currency EUR", "5 products gone x", "6 general gone x",
            ])
    }

    @Test func `product settings are a separate group`() async throws {
        try session.keep([Self.setting("woocommerce_weight_unit", "kept")])
        session.network.simulate("/wc/v3/settings/products", json: "[\(Self.json("woocommerce_weight_unit", "kg"))]")
        let _: ElementList<SiteSetting> = try await session.value {
            SettingAction.synchronizeProductSiteSettings(siteID: 5, onCompletion: $0)
        }
        #expect(
            try names() == ["5 general woocommerce_weight_unit kept", "5 products woocommerce_weight_unit kg"])
    }

    @Test func `an unreadable setting deletes no other one`() async throws {
        try session.keep([Self.setting("a", "old"), Self.setting("b", "old")])
        session.network.simulate("/wc/v3/settings/general", json: #"[\#(Self.json("a", "new")),{"id":[1]}]"#)
        let list: ElementList<SiteSetting> = try await session.value {
            SettingAction.synchronizeGeneralSiteSettings(siteID: 5, onCompletion: $0)
        }
        #expect(list.rejected.map(\.path) == ["[1].id"])
        #expect(try names() == ["5 general a new", "5 general b old"])
    }

    @Test func `a single fetched setting keeps the others and is stored in its group`() async throws {
        try session.keep([
            Self.setting("woocommerce_currency", "EUR"), Self.setting("woocommerce_enable_coupons", "no"),
        ])
        session.network.simulate(
            "settings/general/woocommerce_enable_coupons", json: Self.json("woocommerce_enable_coupons", "yes"))
        // A plug-in reports another group: the requested one counts.
        session.network.simulate(
            "settings/advanced/woocommerce_analytics_enabled",
            json: Self.json("woocommerce_analytics_enabled", "no", group: "general"))
        #expect(try await session.value { SettingAction.retrieveCouponSetting(siteID: 5, onCompletion: $0) })
        #expect(
            try await session.value { SettingAction.retrieveAnalyticsSetting(siteID: 5, onCompletion: $0) } == false)
        #expect(
            try names() == [
                "5 advanced woocommerce_analytics_enabled no", "5 general woocommerce_currency EUR",
                "5 general woocommerce_enable_coupons yes",
            ])
    }

    @Test(arguments: [true, false])
    func `coupons and analytics are switched, and the response is stored`(isEnabled: Bool) async throws {
        let value = isEnabled ? "yes" : "no"
        session.network.simulate(
            "settings/general/woocommerce_enable_coupons", json: Self.json("woocommerce_enable_coupons", value))
        session.network.simulate(
            "settings/advanced/woocommerce_analytics_enabled", json: Self.json("woocommerce_analytics_enabled", value))
        let coupons: Bool = try await session.value {
            SettingAction.enableCouponSetting(siteID: 5, isEnabled: isEnabled, onCompletion: $0)
        }
        let analytics: Bool = try await session.value {
            SettingAction.enableAnalyticsSetting(siteID: 5, isEnabled: isEnabled, onCompletion: $0)
        }
        #expect([coupons, analytics] == [isEnabled, isEnabled])
        #expect(session.network.requests.map(\.method) == [.put, .put])
        #expect(session.bodies == Array(repeating: #"{"value":"\#(value)"}"#, count: 2))
        #expect(try session.kept(SiteSetting.self).map(\.text) == [value, value])
    }

    @Test func `a store that does not change a setting is trusted`() async throws {
        session.network.simulate(
            "settings/general/woocommerce_enable_coupons", json: Self.json("woocommerce_enable_coupons", "no"))
        #expect(
            try await session.value { SettingAction.enableCouponSetting(siteID: 5, onCompletion: $0) } == false)
    }

    @Test func `stored settings stay when the site is unreachable`() async throws {
        try session.keep([Self.setting("woocommerce_currency", "EUR")])
        session.refuse("/wc/v3/settings/general")
        session.network.simulate("/wc/v3/settings/products", json: "<html>")
        let wanted = ServiceError(status: 500, code: "oops", message: "It failed.")
        #expect(
            await session.failure(ElementList<SiteSetting>.self) {
                SettingAction.synchronizeGeneralSiteSettings(siteID: 5, onCompletion: $0)
            } == .network(.service(wanted)))
        let error = await session.failure(ElementList<SiteSetting>.self) {
            SettingAction.synchronizeProductSiteSettings(siteID: 5, onCompletion: $0)
        }
        guard case .network(.unreadable) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try names() == ["5 general woocommerce_currency EUR"])
    }

    @Test func `the site's API and tax rule are reported and not stored`() async throws {
        session.network.simulate("/", json: #"{"namespaces":["wc/v2","wc/v3","wc-telemetry"],"authentication":[]}"#)
        session.network.simulate("settings/tax/woocommerce_tax_based_on", json: Self.json("x", "billing"))
        let api: SiteAPI = try await session.value { SettingAction.retrieveSiteAPI(siteID: 5, onCompletion: $0) }
        #expect(api.highestWooVersion == "wc/v3")
        #expect(api.siteID == 5)
        let base: TaxBasedOn = try await session.value {
            SettingAction.retrieveTaxBasedOnSetting(siteID: 5, onCompletion: $0)
        }
        #expect(base == .customerBillingAddress)
        #expect(try names() == [])
    }

    @Test func `an unknown tax rule is an error with its path`() async throws {
        session.network.simulate("settings/tax/woocommerce_tax_based_on", json: Self.json("x", "moon"))
        #expect(
            await session.failure(TaxBasedOn.self) {
                SettingAction.retrieveTaxBasedOnSetting(siteID: 5, onCompletion: $0)
            } == .network(.undecodable(DecodingFailure(.invalid("a valid TaxBasedOn"), at: "value"))))
    }

    @Test func `the settings of a site are read in order, and those of others are not`() async throws {
        try session.keep([
            Self.setting("b", "1"), Self.setting("a", "2"), Self.setting("z", "3", group: .advanced),
            Self.setting("a", "4", site: 6),
        ])
        let settings: [SiteSetting] = try await session.value {
            SettingAction.loadSiteSettings(siteID: 5, onCompletion: $0)
        }
        #expect(settings.map(\.id) == ["z", "a", "b"])
        #expect(session.network.requests.isEmpty)
    }
}
