import Determinism
import Money
import Networking
import Storage
import StoreSite
import Testing

@testable import Yosemite

@Suite("Orders of the simulated site")
struct SimulatedSiteOrderTests {
    private static let siteID = StoreSiteNetwork.siteID

    private struct Till {
        let network: StoreSiteNetwork
        let storage: SQLiteStorageManager
        let dispatcher: Dispatcher

        init(_ credentials: Credentials, orders: Int = 20) throws {
            let time = VirtualTimeSource()
            network = StoreSiteNetwork(orders: orders, time: time)
            storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
            dispatcher = Dispatcher(time: time)
            let context = StoreContext(sender: network.client(credentials), storage: storage, time: time)
            for store in SiteStores.all(context) { _ = try store.registerSupportedActions(in: dispatcher) }
        }

        func value<Value: Sendable>(
            _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
        ) async throws(ActionFailure<StoreError>) -> Value {
            try await dispatcher.perform { makeAction($0) }
        }

        func synchronize(isFull: Bool = false) async throws(ActionFailure<StoreError>) -> SynchronizationReport {
            try await value {
                OrderAction.synchronizeAllOrders(siteID: siteID, isFull: isFull, onCompletion: $0)
            }
        }

        func orders() throws -> [Order] { try storage.read { try $0.models(Order.self) } }
    }

    @Test("the site itself and the tunnel return the same orders")
    func bothWays() async throws {
        let direct = try Till(try StoreSiteNetwork.applicationPassword, orders: 230)
        let tunnelled = try Till(StoreSiteNetwork.dotcom, orders: 230)
        let report = try await direct.synchronize()
        #expect((report.rejectedCount, report.isComplete) == (0, true))
        _ = try await tunnelled.synchronize()
        let orders = try direct.orders()
        #expect(orders.count >= 200)
        #expect(try tunnelled.orders() == orders)
        #expect(orders.allSatisfy { $0.siteID == Self.siteID && $0.status != .autoDraft })
        // Nothing has changed since.
        let again = try await direct.synchronize()
        #expect(!again.isFull)
        #expect(try direct.orders() == orders)
    }

    @Test("an order whose response was lost exists once, at the site and here")
    func createdOnce() async throws {
        let till = try Till(try StoreSiteNetwork.applicationPassword)
        _ = try await till.synchronize()
        let before = try till.orders().count
        till.network.site.add(try FaultRule("POST /wc/v3/orders #1 lost-answer"))
        let created: Order = try await till.value {
            OrderAction.createSimplePaymentsOrder(
                siteID: Self.siteID, status: .pending, amount: ExactDecimal(coefficient: 1250, scale: 2),
                isTaxed: false, key: OrderCreationKey(random: SeededRandomSource(seed: 5)), onCompletion: $0)
        }
        #expect(created.total == ExactDecimal(coefficient: 1250, scale: 2))
        _ = try await till.synchronize(isFull: true)
        #expect(try till.orders().count == before + 1)
    }

    @Test("after a lost response the status is fetched from the site")
    func statusLost() async throws {
        let till = try Till(StoreSiteNetwork.dotcom)
        _ = try await till.synchronize()
        let order = try #require(try till.orders().first { $0.status != .completed })
        till.network.site.add(try FaultRule("POST /wc/v3/orders/* #1 lost-answer"))
        let changed: Order = try await till.value {
            OrderAction.updateOrderStatus(
                siteID: Self.siteID, orderID: order.id, status: .completed, onCompletion: $0)
        }
        #expect(changed.status == .completed)
        #expect(try till.orders().first { $0.id == order.id } == changed)
    }

    @Test("a truncated body is an error, keeps the earlier pages, and the next time everything is fetched")
    func cut() async throws {
        let till = try Till(try StoreSiteNetwork.applicationPassword, orders: 230)
        till.network.site.add(try FaultRule("GET /wc/v3/orders #2 truncate:2000"))
        await #expect(throws: ActionFailure<StoreError>.self) { try await till.synchronize() }
        let kept = try till.orders().count
        #expect(kept < 230)
        let report = try await till.synchronize()
        #expect(report.isFull)
        #expect(try till.orders().count == report.saved)
    }

    @Test("a deleted order goes with the next full synchronization, and a note stays with its order")
    func deletedThere() async throws {
        let till = try Till(try StoreSiteNetwork.applicationPassword)
        let other = try Till(try StoreSiteNetwork.applicationPassword)
        _ = try await till.synchronize()
        let order = try #require(try till.orders().first)
        let note: OrderNote = try await till.value {
            OrderNoteAction.addOrderNote(
                siteID: Self.siteID, orderID: order.id, isCustomerNote: false, note: "paid at the till",
                onCompletion: $0)
        }
        #expect((note.note, note.orderID) == ("paid at the till", order.id))
        try await till.value {
            OrderAction.deleteOrder(siteID: Self.siteID, orderID: order.id, isPermanent: true, onCompletion: $0)
        } as Void
        _ = try await other.synchronize()
        #expect(try other.orders().contains { $0.id == order.id })
        #expect(try !till.orders().contains { $0.id == order.id })
        let report = try await till.synchronize(isFull: true)
        #expect(report.deleted == 0)
        #expect(try !till.orders().contains { $0.id == order.id })
    }

    @Test("statuses and customers of the site are fetched completely")
    func others() async throws {
        let till = try Till(try StoreSiteNetwork.applicationPassword)
        let statuses: ElementList<OrderStatus> = try await till.value {
            OrderStatusAction.retrieveOrderStatuses(siteID: Self.siteID, onCompletion: $0)
        }
        #expect(statuses.elements.contains { $0.slug == .completed })
        let report: SynchronizationReport = try await till.value {
            CustomerAction.synchronizeEveryCustomer(siteID: Self.siteID, onCompletion: $0)
        }
        #expect(report.saved > 0 && report.rejectedCount == 0)
        let everybody: [WCAnalyticsCustomer] = try await till.value {
            CustomerAction.loadCustomers(siteID: Self.siteID, onCompletion: $0)
        }
        let account = try #require(everybody.first { $0.hasAccount }?.userID)
        let customer: Customer = try await till.value {
            CustomerAction.retrieveCustomer(siteID: Self.siteID, customerID: account, onCompletion: $0)
        }
        #expect(customer.id == account)
    }
}
