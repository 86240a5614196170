import Determinism
import Fakes
import Money
import Networking
import Storage
import Testing

@testable import Yosemite

/// What stores rely on when they keep values.
@Suite struct KeptValuesTests {
    private let manager: SQLiteStorageManager

    init() throws { manager = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)) }

    private func order(site: Int64 = 1, _ id: Int64, _ status: OrderStatusEnum = .pending) -> Networking.Order {
        Networking.Order.fake(seed: UInt64(id)).copy(
            siteID: site, id: id, status: status, lineItems: [.fake(seed: 1), .fake(seed: 2)],
            metaData: [.fake(seed: 3)])
    }

    @Test func `values are fetched by their key`() throws {
        let orders = [order(1), order(2, .completed), order(3, .custom("on-the-way")), order(site: 2, 1)]
        try manager.performAndSave { storage in
            let saved = try storage.save(orders)
            #expect(saved == 4)
            #expect(
                try storage.models(Order.self, matching: { $0.siteID == 1 && $0.status == "completed" }) == [orders[1]])
            #expect(
                try storage.models(Order.self, matching: { $0.status == OrderStatusEnum.pending }).map(\.siteID) == [
                    1, 2,
                ])
            #expect(
                try storage.models(
                    Order.self, matching: { $0.status.isIn([OrderStatusEnum.custom("on-the-way"), .completed]) }
                )
                .map(\.id) == [2, 3])
            #expect(try storage.model(Order.self, sortedBy: { [$0.siteID.ascending, $0.id.descending] }) == orders[2])
            #expect(try storage.model(Order.self, matching: { $0.id == 99 }) == nil)
            #expect(try storage.count(Order.self, matching: { $0.siteID == 1 }) == 3)
            #expect(try storage.count(Order.self) == 4)
        }
    }

    @Test func `only changed values are new, including children`() throws {
        let (first, second) = (order(1), order(2))
        try manager.performAndSave { storage in
            try storage.save([first, second])
            let changed = second.copy(lineItems: [try #require(second.lineItems.last)])
            #expect(try storage.save([first, changed]) == 1)
            #expect(try storage.models(Order.self) == [first, changed])
        }
    }

    @Test func `children are deleted with their order, and nothing of another site`() throws {
        func counts(_ storage: any StorageType) throws -> [Int] {
            [
                try storage.count(Order.self), try storage.count(OrderNote.self),
                try storage.count(ShipmentTracking.self),
                try storage.count(SearchResult.self),
                try storage.countObjects(ofType: OrderItemRecord.self, matching: .all),
                try storage.countObjects(ofType: MetaDataRecord.self, matching: .all),
            ]
        }
        try manager.performAndSave { storage in
            for site in Int64(1)...2 {
                try storage.save([order(site: site, 1), order(site: site, 2)])
                try storage.save(OrderNote.fake(seed: 1).copy(siteID: site, orderID: 1))
                try storage.save(ShipmentTracking.fake(seed: 1).copy(siteID: site, orderID: 1))
                try storage.save(SearchResult(siteID: site, entity: "order", keyword: "x", position: 0, elementID: 1))
            }
            #expect(try counts(storage) == [4, 2, 2, 2, 8, 4])
            #expect(try storage.delete(SearchResult.self, matching: { $0.siteID == 1 }) == 1)
            #expect(try counts(storage) == [4, 2, 2, 1, 8, 4])
            #expect(try storage.delete(Order.self, matching: { $0.siteID == 1 && $0.id == 1 }) == 1)
            #expect(try counts(storage) == [3, 1, 1, 1, 6, 3])
        }
    }

    @Test func `a note can be stored before its order`() throws {
        try manager.performAndSave { storage in
            try storage.save(OrderNote.fake(seed: 1).copy(siteID: 1, orderID: 77))
            #expect(try storage.count(OrderNote.self, matching: { $0.orderID == 77 }) == 1)
        }
    }

    @Test func `a rolled back value leaves nothing`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try manager.performAndSave { storage in
                try storage.save(order(1))
                throw Stop()
            }
        }
        #expect(try manager.read { try $0.countObjects(ofType: OrderItemRecord.self, matching: .all) } == 0)
    }

    @Test func `a damaged value is reported`() throws {
        func check<Model: ReadOnlyType>(
            _ model: Model, _ place: String, _ damage: (inout Model.Record) -> Void
        ) throws {
            var record = Model.Record(model)
            damage(&record)
            try manager.performAndSave { _ = try $0.saveObjects([record]) }
            #expect(throws: StorageError.corrupt(path: ":memory:", detail: "unreadable \(place)")) {
                try manager.read { try $0.models(Model.self) }
            }
        }
        try check(SiteSummaryStats.fake(), "period in siteSummaryStats") { $0.period = "fortnight" }
        try check(SiteSetting.fake(), "value in siteSetting") { $0.value = "{" }
        try check(TaxRate.fake(), "cities in taxRate") { $0.cities = "[1]" }
        try check(Customer.fake().copy(billing: Address(city: "Rome")), "billingCity in customer") {
            $0.billingCity = nil
        }
        try check(Order.fake().copy(lineItems: [.fake()]), "taxes in orderItem") { $0.lineItems[0].taxes = "[{}]" }
    }

    @Test func `a copy differs only in the given properties`() {
        let order = order(1).copy(datePaidGMT: Timestamp(milliseconds: 5))
        let paid = order.copy(status: .completed, total: .zero)
        #expect((paid.status, paid.total) == (.completed, .zero))
        #expect(paid.copy(status: order.status, total: order.total) == order)
        #expect(order.copy().datePaidGMT == Timestamp(milliseconds: 5))
        #expect(order.copy(datePaidGMT: .some(nil)).datePaidGMT == nil)
    }
}
