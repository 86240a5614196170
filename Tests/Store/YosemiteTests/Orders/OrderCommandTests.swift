import Concurrency
import Determinism
import Networking
import Testing

@testable import Yosemite

/// The stores of orders with commands that a test made: neither a site nor a network is needed.
@Suite struct OrderCommandTests {
    private static let missing = NetworkError.service(
        ServiceError(status: 404, code: "woocommerce_rest_shop_order_invalid_id"))

    /// Commands with results that are set, and a list of those that ran.
    private final class Commands: OrderCommandFactory {
        let made = Log<String>()
        private let order: Result<Order, StoreError>
        private let dateModified: Result<Timestamp?, StoreError>
        private let stored: Order?
        private let note: Result<OrderNote, StoreError>
        private let notes: Result<ElementList<OrderNote>, StoreError>

        init(
            order: Result<Order, StoreError> = .failure(.canceled),
            dateModified: Result<Timestamp?, StoreError> = .failure(.canceled), stored: Order? = nil,
            note: Result<OrderNote, StoreError> = .failure(.canceled),
            notes: Result<ElementList<OrderNote>, StoreError> = .failure(.canceled)
        ) {
            (self.order, self.dateModified, self.stored) = (order, dateModified, stored)
            (self.note, self.notes) = (note, notes)
        }

        private func logged<Value: Sendable>(
            _ name: String, _ result: Result<Value, StoreError>
        ) -> any Command<Value, StoreError> {
            ClosureCommand { [made] () throws(StoreError) in
                made.add(name)
                return try result.get()
            }
        }

        func fetchOrders(
            siteID: Int64, filter: OrderFilter, page: PageRequest
        ) -> any Command<Page<Order>, StoreError> {
            logged(
                "fetch page",
                order.map {
                    Page(list: ElementList(elements: [$0]), total: 1, totalPages: 1, hasNext: false)
                })
        }

        func searchOrders(
            siteID: Int64, keyword: String, page: PageRequest
        ) -> any Command<Page<Order>, StoreError> {
            fetchOrders(siteID: siteID, filter: OrderFilter(), page: page)
        }

        func fetchOrder(siteID: Int64, orderID: Int64) -> any Command<Order, StoreError> { logged("fetch", order) }

        func fetchDateModified(siteID: Int64, orderID: Int64) -> any Command<Timestamp?, StoreError> {
            logged("fetch date", dateModified)
        }

        func fetchNotes(siteID: Int64, orderID: Int64) -> any Command<ElementList<OrderNote>, StoreError> {
            logged("fetch notes", notes)
        }

        func addNote(_ newNote: NewOrderNote) -> any Command<OrderNote, StoreError> { logged("add note", note) }

        func storedOrder(siteID: Int64, orderID: Int64) -> any Command<Order?, StoreError> {
            logged("read", .success(stored))
        }

        func storedNotes(siteID: Int64, orderID: Int64) -> any Command<[OrderNote], StoreError> {
            logged("read notes", .success([]))
        }

        func countStoredOrders(siteID: Int64) -> any Command<Int, StoreError> {
            logged("count", .success(stored == nil ? 0 : 1))
        }

        func save(_ orders: [Order], _ saving: OrderSaving) -> any Command<Void, StoreError> {
            let way =
                switch saving {
                case .page: "page"
                case .latest: "latest"
                case .replacingAll: "all"
                case .found(let keyword, _, _): "found \(keyword)"
                case .notes(let notes, _, _, _): "\(notes.count) notes"
                }
            return logged("save \(orders.count) \(way)", .success(()))
        }

        func forgetOrder(siteID: Int64, orderID: Int64) -> any Command<Void, StoreError> {
            logged("forget \(orderID)", .success(()))
        }
    }

    private let shop: TestShop
    private let order: Order

    init() throws {
        shop = try TestShop { _ in .json("no request is expected") }
        order = try shop.keep(OrderJSON.order(5))
    }

    /// Carries out an action with the commands of a test.
    private func value<Value: Sendable>(
        _ commands: Commands,
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws -> Value {
        let dispatcher = Dispatcher(time: shop.time)
        _ = try OrderStore(shop.context, commands: commands).registerSupportedActions(in: dispatcher)
        _ = try OrderNoteStore(shop.context, commands: commands).registerSupportedActions(in: dispatcher)
        let value: Value = try await dispatcher.perform { makeAction($0) }
        #expect(shop.site.calls.isEmpty)
        return value
    }

    private func retrieve(_ commands: Commands) async throws -> Order {
        try await value(commands) {
            OrderAction.retrieveOrder(siteID: TestShop.siteID, orderID: 5, onCompletion: $0)
        }
    }

    @Test func `an order that is not stored is fetched and saved`() async throws {
        let commands = Commands(order: .success(order))
        #expect(try await retrieve(commands) == order)
        #expect(commands.made.entries == ["read", "fetch", "save 1 latest"])
    }

    @Test func `an order with the same date is not fetched`() async throws {
        let commands = Commands(dateModified: .success(order.dateModifiedGMT), stored: order)
        #expect(try await retrieve(commands) == order)
        #expect(commands.made.entries == ["read", "fetch date"])
    }

    @Test func `an order without a date at the site is fetched`() async throws {
        let commands = Commands(order: .success(order), dateModified: .success(nil), stored: order)
        _ = try await retrieve(commands)
        #expect(commands.made.entries == ["read", "fetch date", "fetch", "save 1 latest"])
    }

    @Test func `an order that the site does not have is forgotten, whichever request says so`() async throws {
        for commands in [
            Commands(order: .failure(.network(Self.missing))),
            Commands(dateModified: .failure(.network(Self.missing)), stored: order),
        ] {
            let error = await #expect(throws: ActionFailure<StoreError>.self) { try await retrieve(commands) }
            #expect(error == .failed(.notFound(entity: "order", id: "5")))
            #expect(commands.made.entries.last == "forget 5")
        }
    }

    @Test func `a failure of another kind forgets and saves nothing`() async throws {
        let commands = Commands(order: .failure(.network(.cannotConnect(host: "shop.example", reason: "no route"))))
        await #expect(throws: ActionFailure<StoreError>.self) { try await retrieve(commands) }
        #expect(commands.made.entries == ["read", "fetch"])
    }

    @Test func `the site is asked whether it has orders only when none is stored`() async throws {
        func hasOrders(_ commands: Commands) async throws -> Bool {
            try await value(commands) {
                OrderAction.checkIfStoreHasOrders(siteID: TestShop.siteID, onCompletion: $0)
            }
        }
        let (known, unknown) = (Commands(stored: order), Commands(order: .success(order)))
        #expect(try await hasOrders(known))
        #expect(known.made.entries == ["count"])
        #expect(try await hasOrders(unknown))
        #expect(unknown.made.entries == ["count", "fetch page"])
    }

    @Test func `a note is saved with its order, and without it when it can't be fetched`() async throws {
        let note = OrderNote(
            siteID: TestShop.siteID, orderID: 5, id: 1, dateCreatedGMT: nil, note: "x", customerNote: false, author: "")
        func add(_ commands: Commands) async throws {
            let added: OrderNote = try await value(commands) {
                OrderNoteAction.addOrderNote(
                    siteID: TestShop.siteID, orderID: 5, isCustomerNote: false, note: "x", onCompletion: $0)
            }
            #expect(added == note)
        }
        let stored = Commands(stored: order, note: .success(note))
        try await add(stored)
        #expect(stored.made.entries == ["add note", "read", "save 0 1 notes"])
        let unknown = Commands(order: .failure(.canceled), note: .success(note))
        try await add(unknown)
        #expect(unknown.made.entries == ["add note", "read", "fetch", "save 0 1 notes"])
    }
}
