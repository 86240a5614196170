import Money
import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// The refunds of orders, separately for each site and order.
struct RefundStoreTests {
    private let session: SiteStoresBench

    init() throws { session = try SiteStoresBench() }

    private static func refund(_ id: Int, _ amount: String = "5.00") -> String {
        #"{"id":\#(id),"amount":"\#(amount)","reason":"","line_items":[],"shipping_lines":[],"meta_data":[]}"#
    }

    private func kept() throws -> [String] {
        try session.kept(Refund.self).map { "\($0.siteID) \($0.orderID) \($0.id) \($0.amount)" }.sorted()
    }

    /// Fetches refunds of an order.
    private func synchronize(order: Int64, site: Int64 = 5, _ refunds: String..., page: Int = 1) async throws {
        session.network.simulate("orders/\(order)/refunds", json: "[\(refunds.joined(separator: ","))]")
        let _: Page<Refund> = try await session.value {
            RefundAction.synchronizeRefunds(
                siteID: site, orderID: order, page: PageRequest(number: page), onCompletion: $0)
        }
        session.network.removeAllAnswers()
    }

    @Test func `a created refund is stored`() async throws {
        session.network.simulate("orders/7/refunds", json: Self.refund(9), status: 201)
        let amount = try #require(ExactDecimal("5.00"))
        let refund: Refund = try await session.value {
            RefundAction.createRefund(
                siteID: 5, orderID: 7, refund: RefundDraft(amount: amount, reason: "Broken"), onCompletion: $0)
        }
        #expect(refund.id == 9)
        #expect(try kept() == ["5 7 9 5.00"])
        #expect(session.bodies.last == #"{"amount":"5.00","reason":"Broken","api_refund":false}"#)
    }

    @Test func `a refund that the store does not create is not stored`() async throws {
        session.refuse(
            "orders/7/refunds", code: "woocommerce_rest_cannot_create_order_refund", message: "Invalid refund amount.")
        let amount = try #require(ExactDecimal("500"))
        #expect(
            await session.failure(Refund.self) {
                RefundAction.createRefund(
                    siteID: 5, orderID: 7, refund: RefundDraft(amount: amount), onCompletion: $0)
            } != nil)
        #expect(try kept().isEmpty)
    }

    @Test func `a refund that no longer exists is deleted here`() async throws {
        try await synchronize(order: 7, Self.refund(9), Self.refund(10))
        session.network.simulate("orders/7/refunds/10", json: Self.refund(10, "6.00"))
        let found: Refund = try await session.value {
            RefundAction.retrieveRefund(siteID: 5, orderID: 7, refundID: 10, onCompletion: $0)
        }
        #expect(found.amount.description == "6.00")
        session.refuse(
            "orders/7/refunds/9", status: 404, code: "woocommerce_rest_shop_order_refund_invalid_id",
            message: "Invalid ID.")
        #expect(
            await session.failure(Refund.self) {
                RefundAction.retrieveRefund(siteID: 5, orderID: 7, refundID: 9, onCompletion: $0)
            } == .notFound(entity: "refund", id: "9"))
        #expect(try kept() == ["5 7 10 6.00"])
    }

    @Test func `refunds are fetched by number, and stale ones deleted on request`() async throws {
        try await synchronize(order: 7, Self.refund(9), Self.refund(10))
        try await synchronize(order: 8, Self.refund(11))
        session.network.simulate("orders/7/refunds", json: "[\(Self.refund(10))]")
        for isDeleting in [false, true] {
            let list: ElementList<Refund> = try await session.value {
                RefundAction.retrieveRefunds(
                    siteID: 5, orderID: 7, refundIDs: [10], deleteStaleRefunds: isDeleting, onCompletion: $0)
            }
            #expect(list.elements.map(\.id) == [10])
            #expect(try kept().contains("5 7 9 5.00") == !isDeleting)
        }
        #expect(session.queries.last?.contains("include=10") == true)
        #expect(try kept() == ["5 7 10 5.00", "5 8 11 5.00"])
    }

    @Test func `the first page replaces the refunds of its order`() async throws {
        try await synchronize(order: 7, Self.refund(9))
        try await synchronize(order: 8, Self.refund(11))
        try await synchronize(order: 7, Self.refund(12))
        try await synchronize(order: 7, Self.refund(13), page: 2)
        #expect(try kept() == ["5 7 12 5.00", "5 7 13 5.00", "5 8 11 5.00"])
        // A list that is not whole deletes nothing.
        try await synchronize(order: 8, #"{"id":14}"#)
        #expect(try kept().contains("5 8 11 5.00"))
    }

    @Test func `a reset deletes the refunds of one site`() async throws {
        try await synchronize(order: 7, Self.refund(9))
        try await synchronize(order: 7, site: 6, Self.refund(9))
        try await session.value { RefundAction.resetStoredRefunds(siteID: 5, onCompletion: $0) } as Void
        #expect(try kept() == ["6 7 9 5.00"])
    }
}
