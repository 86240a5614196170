import Determinism
import Fakes
import Networking
import Storage
import Testing

@testable import Yosemite

/// Every kind of stored value survives the round trip.
@Suite struct RoundTripTests {
    private func check<Model: ReadOnlyType & Fakeable & Equatable>(_ type: Model.Type) throws {
        let manager = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let models = [Model.fake()] + (1...40).map { Model.fake(seed: $0) }
        for model in models {
            try manager.performAndSave { storage in
                try storage.delete(type)
                #expect(try storage.save(model))
                #expect(try storage.models(type) == [model])
                #expect(try storage.save(model) == false, "what is the same is not written again")
            }
        }
        try manager.performAndSave { storage in
            try storage.save(models)
            let rows = try storage.rowIDs(ofType: Model.Record.self, matching: .all, sortedBy: [], limit: nil)
            let byRow = try storage.models(type, rowIDs: rows)
            #expect(try storage.models(type) == rows.compactMap { byRow[$0] })
            #expect(try storage.count(type) == rows.count)
        }
    }

    @Test func `accounts and sites survive the round trip`() throws {
        try check(Account.self)
        try check(AccountSettings.self)
        try check(Site.self)
        try check(SiteSetting.self)
    }

    @Test func `customers and search results survive the round trip`() throws {
        try check(Customer.self)
        try check(WCAnalyticsCustomer.self)
        try check(SearchResult.self)
        try check(SynchronizationMark.self)
    }

    @Test func `orders and their children survive the round trip`() throws {
        try check(Order.self)
        try check(OrderNote.self)
        try check(Refund.self)
        try check(OrderStatus.self)
        try check(ShipmentTracking.self)
        try check(ShipmentTrackingProviderGroup.self)
    }

    @Test func `statistics survive the round trip`() throws {
        try check(OrderStatsV4.self)
        try check(OrderStats.self)
        try check(SiteVisitStats.self)
        try check(SiteSummaryStats.self)
        try check(TopEarnerStats.self)
    }

    @Test func `notifications, taxes, gateway accounts, and charges survive the round trip`() throws {
        try check(Note.self)
        try check(TaxClass.self)
        try check(TaxRate.self)
        try check(GatewayAccount.self)
        try check(WCPayCharge.self)
    }
}
