import Determinism
import Networking
import Storage
import TestDoubles
import Testing

@testable import Yosemite

@Suite struct AccountStoreTests {
    private let session: TestSession

    init() throws { session = try TestSession(.dotcom("anna")) }

    private func synchronize(_ selected: Int64? = 7) async throws -> SynchronizedSites {
        try await session.value { AccountAction.synchronizeSites(selectedSiteID: selected, onCompletion: $0) }
    }

    private func kept() throws -> [Int64] {
        try session.storage.read { try $0.models(Site.self).map(\.id).sorted() }
    }

    @Test func `the account and its settings are fetched and stored`() async throws {
        session.network.simulate(
            "/me", json: #"{"ID":3,"username":"anna","display_name":"Anna","email":"a@b.example"}"#)
        session.network.simulate("/me/settings", json: #"{"tracks_opt_out":true,"first_name":"Anna"}"#)
        await #expect(throws: ActionFailure<StoreError>.failed(.notFound(entity: "account", id: "3"))) {
            _ = try await session.value { AccountAction.loadAccount(userID: 3, onCompletion: $0) } as Account
        }
        let account: Account = try await session.value { AccountAction.synchronizeAccount(onCompletion: $0) }
        #expect(account.displayName == "Anna")
        #expect(try await session.value { AccountAction.loadAccount(userID: 3, onCompletion: $0) } == account)
        let settings: AccountSettings = try await session.value {
            AccountAction.synchronizeAccountSettings(userID: 3, onCompletion: $0)
        }
        #expect(settings.tracksOptOut && settings.userID == 3)
        #expect(try session.storage.read { try $0.model(AccountSettings.self) } == settings)
    }

    @Test func `a changed setting is stored as in the response of WordPress.com`() async throws {
        session.network.simulate("/me/settings", json: #"{"tracks_opt_out":false}"#)
        let settings: AccountSettings = try await session.value {
            AccountAction.updateAccountSettings(userID: 3, tracksOptOut: false, onCompletion: $0)
        }
        #expect(!settings.tracksOptOut)
        #expect(try session.storage.read { try $0.model(AccountSettings.self) } == settings)
        #expect(session.network.requests.map(\.method) == [.post])
    }

    @Test func `an account is closed at WordPress.com, and stays here until the session ends`() async throws {
        session.network.simulate("/me/account/close", json: #"{"success":true}"#)
        try await session.value { AccountAction.closeAccount(onCompletion: $0) } as Void
        #expect(session.network.requests.map(\.method) == [.post])
        #expect(session.manager.isAuthenticated)
    }

    @Test func `sites that are no longer listed are deleted, except the selected one`() async throws {
        session.network.simulate("/me/sites", json: SiteJSON.list([7, 8, 9].map { SiteJSON.site($0) }))
        session.network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(8, name: "Other")]))
        #expect(try await synchronize().sites.map(\.id) == [7, 8, 9])
        #expect(try kept() == [7, 8, 9])
        #expect(try await synchronize(7).sites.map(\.id) == [8])
        #expect(try kept() == [7, 8])
        #expect(try session.storage.read { try $0.model(Site.self, matching: { $0.id == 8 })?.name } == "Other")
    }

    @Test func `if a site cannot be decoded, the others are stored and none is deleted`() async throws {
        session.network.simulate("/me/sites", json: SiteJSON.list([7, 8].map { SiteJSON.site($0) }))
        session.network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(9), #"{"ID":"seven"}"#]))
        _ = try await synchronize()
        let list = try await synchronize()
        #expect(list.rejected.count == 1)
        #expect(try kept() == [7, 8, 9])
    }

    @Test func `an invalid list changes nothing`() async throws {
        session.network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(7)]))
        session.network.simulate("/me/sites", json: #"{"sites":"none"}"#)
        _ = try await synchronize()
        await #expect(throws: (any Error).self) { _ = try await synchronize() }
        #expect(try kept() == [7])
    }

    @Test func `a site is fetched once, and again on request`() async throws {
        session.network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(7)]))
        for isForced in [false, false, true] {
            let site: Site = try await session.value {
                AccountAction.loadAndSynchronizeSite(siteID: 7, forcedUpdate: isForced, onCompletion: $0)
            }
            #expect(site.id == 7)
        }
        #expect(session.network.requests.count == 2)
        await #expect(throws: ActionFailure<StoreError>.failed(.notFound(entity: "site", id: "5"))) {
            _ =
                try await session.value {
                    AccountAction.loadAndSynchronizeSite(siteID: 5, forcedUpdate: false, onCompletion: $0)
                } as Site
        }
    }

    @Test func `a site is found by exactly its address`() async throws {
        session.network.simulate(
            "/me/sites",
            json: SiteJSON.list([
                SiteJSON.site(7, url: "https://a.example/shop"), SiteJSON.site(8, url: "https://a.example"),
            ]))
        let site: Site = try await session.value {
            AccountAction.synchronizeSitesAndReturnSelectedSiteInfo(
                siteAddress: "https://a.example", onCompletion: $0)
        }
        #expect(site.id == 8)
        await #expect(throws: ActionFailure<StoreError>.failed(.notFound(entity: "site", id: "https://b.example"))) {
            _ =
                try await session.value {
                    AccountAction.synchronizeSitesAndReturnSelectedSiteInfo(
                        siteAddress: "https://b.example", onCompletion: $0)
                } as Site
        }
    }

    @Test func `a plan is stored with its site without other changes`() async throws {
        session.network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(7, name: "Corner Shop")]))
        session.network.simulate("/sites/7", json: #"{"ID":7,"plan":{"product_slug":"business"}}"#)
        await #expect(throws: ActionFailure<StoreError>.failed(.notFound(entity: "site", id: "7"))) {
            _ =
                try await session.value {
                    AccountAction.synchronizeSitePlan(siteID: 7, onCompletion: $0)
                } as Site
        }
        _ = try await synchronize()
        let site: Site = try await session.value { AccountAction.synchronizeSitePlan(siteID: 7, onCompletion: $0) }
        #expect(site.plan?.productSlug == "business" && site.name == "Corner Shop")
        #expect(try session.storage.read { try $0.model(Site.self) } == site)
    }

    @Test func `a site connected by a Jetpack plug-in other than Jetpack is queried directly`() async throws {
        let part = SiteJSON.site(7, name: "?", wooCommerce: false)
            .replacing("\"jetpack\":true", with: "\"jetpack\":false")
        session.network.simulate("/me/sites", json: SiteJSON.list([part]))
        session.network.simulate("/wc/v3/settings", json: #"{"data":[]}"#)
        session.network.simulate(
            "/sites/7/settings",
            json: #"{"title":"Corner Shop","description":"","url":"https://shop.example"}"#)
        let list = try await synchronize()
        #expect(list.hasSitesConnectedByPartOnly)
        #expect(list.sites.first?.name == "Corner Shop")
        #expect(list.sites.first?.options.woocommerceIsActive == true)
    }

    @Test func `a session's entities are fetched together, and failures are reported`() async throws {
        session.network.simulate(
            "/me", json: #"{"ID":3,"username":"anna","display_name":"Anna","email":"a@b.example"}"#)
        session.network.simulate("/me/settings", json: "7")
        session.network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(7)]))
        session.network.simulate("/sites/7", json: #"{"ID":7,"plan":{"product_slug":"business"}}"#)
        let failures = await session.manager.synchronizeEntities()
        #expect(failures.count == 1)
        #expect(session.manager.site?.id == 7)
        #expect(try session.storage.read { try $0.model(Site.self)?.plan?.productSlug } == "business")
    }
}
