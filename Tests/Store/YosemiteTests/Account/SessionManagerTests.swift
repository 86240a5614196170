import Networking
import Testing

@testable import Yosemite

@Suite struct SessionManagerTests {
    private let anna = SignIn.dotcom("anna")

    @Test func `a session continues from the last process`() throws {
        let keeper = InMemorySignInStorage(anna)
        #expect(try SessionManager(keeper: keeper).signIn == anna)
        #expect(try SessionManager(keeper: keeper).siteID == 7)
        keeper.fail(SignInStorageError("broken"))
        #expect(throws: SignInStorageError("broken")) { try SessionManager(keeper: keeper) }
    }

    @Test func `the chosen store is stored and reported to all observers`() async throws {
        let session = try TestSession(.dotcom("anna", siteID: nil))
        let manager = session.manager
        #expect(manager.needsDefaultStore)
        var ids = manager.siteIDUpdates().makeAsyncIterator()
        var sites = manager.siteUpdates().makeAsyncIterator()
        var needs = manager.needsDefaultStoreUpdates().makeAsyncIterator()
        #expect(await ids.next() == .some(nil))
        #expect(await sites.next() == .some(nil))
        #expect(await needs.next() == true)
        try manager.updateDefaultStore(siteID: 9)
        #expect(session.keeper.kept?.siteID == 9)
        #expect(await ids.next() == 9)
        #expect(await needs.next() == false)
        let address = try WebAddress("https://shop.example/")
        let index = SiteIndex(
            name: "Shop", description: "", url: "", timezoneString: "", gmtOffset: nil, namespaces: ["wc/v3"])
        let site = Site(at: address, index: index)
        try manager.updateDefaultStore(site)
        #expect(await sites.next() == site)
        #expect(manager.site == site && manager.siteID == site.id)
        // What is known of one store is not taken for another's.
        try manager.updateDefaultStore(siteID: 9)
        #expect(manager.site == nil)
        try manager.removeDefaultStore()
        #expect(manager.needsDefaultStore)
        #expect(session.keeper.kept?.siteID == nil)
        #expect(session.keeper.kept?.credentials == anna.credentials)
    }

    @Test func `a choice that cannot be stored is an error and changes nothing`() throws {
        let session = try TestSession(anna)
        session.keeper.fail(SignInStorageError("disk full"))
        #expect(throws: SessionError.notKept(SignInStorageError("disk full"))) {
            try session.manager.updateDefaultStore(siteID: 9)
        }
        #expect(session.manager.siteID == 7)
    }

    @Test func `without a signed-in user no store can be chosen`() throws {
        let session = try TestSession(nil)
        try session.manager.updateDefaultStore(siteID: 9)
        #expect(session.manager.siteID == nil)
        #expect(!session.manager.needsDefaultStore)
        #expect(session.keeper.saves == 0)
    }

    @Test func `the ID of a site without WordPress.com depends on its location, not on http or https`()
        throws
    {
        let number = try WebAddress("https://shop.example").directSiteID
        for text in ["http://shop.example/", "https://SHOP.example", "https://shop.example:443/"] {
            #expect(try WebAddress(text).directSiteID == number, "\(text)")
        }
        var numbers: Set<Int64> = [number]
        for text in [
            "https://shop.example/b", "https://shop.example:8443", "https://b.shop.example", "http://127.0.0.1:8181",
        ] {
            let other = try WebAddress(text).directSiteID
            #expect((1 << 52..<1 << 53).contains(other))
            numbers.insert(other)
        }
        #expect(numbers.count == 5)
    }
}
