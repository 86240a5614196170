import Concurrency
import Fakes
import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// The store of refunds with commands that a test made: neither a site nor a network is needed.
@Suite struct RefundCommandTests {
    /// Commands with results that are set, and a list of what was saved.
    private final class Commands: RefundCommandFactory {
        let saved = Log<RefundChanges>()
        let refund: Result<Refund, StoreError>
        let list: ElementList<Refund>

        init(
            refund: Result<Refund, StoreError> = .failure(.canceled),
            list: ElementList<Refund> = ElementList(elements: [])
        ) {
            (self.refund, self.list) = (refund, list)
        }

        func createRefund(siteID: Int64, orderID: Int64, _ draft: RefundDraft) -> any Command<Refund, StoreError> {
            fetchRefund(siteID: siteID, orderID: orderID, refundID: 0)
        }

        func fetchRefund(siteID: Int64, orderID: Int64, refundID: Int64) -> any Command<Refund, StoreError> {
            ClosureCommand { [refund] () throws(StoreError) in try refund.get() }
        }

        func fetchRefunds(
            siteID: Int64, orderID: Int64, refundIDs: [Int64]?, page: PageRequest
        ) -> any Command<Page<Refund>, StoreError> {
            KnownCommand(Page(list: list, total: nil, totalPages: nil, hasNext: false))
        }

        func save(_ changes: RefundChanges) -> any Command<Void, StoreError> {
            ClosureCommand { [saved] () throws(StoreError) in saved.add(changes) }
        }
    }

    private let shop: TestShop

    init() throws { shop = try TestShop { _ in .json("no request is expected") } }

    private func value<Value: Sendable>(
        _ commands: Commands,
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws -> Value {
        let dispatcher = Dispatcher(time: shop.time)
        _ = try RefundStore(shop.context, commands: commands).registerSupportedActions(in: dispatcher)
        let value: Value = try await dispatcher.perform { makeAction($0) }
        #expect(shop.site.calls.isEmpty)
        return value
    }

    private func retrieve(_ commands: Commands) async throws -> Refund {
        try await value(commands) {
            RefundAction.retrieveRefund(siteID: 5, orderID: 7, refundID: 9, onCompletion: $0)
        }
    }

    @Test func `a refund is fetched and saved`() async throws {
        let refund = Refund.fake().copy(siteID: 5, orderID: 7, id: 9)
        let commands = Commands(refund: .success(refund))
        #expect(try await retrieve(commands) == refund)
        #expect(commands.saved.entries == [.some([refund])])
    }

    @Test func `a refund that the site does not have is deleted, and only then`() async throws {
        let missing = StoreError.network(
            .service(ServiceError(status: 404, code: "woocommerce_rest_shop_order_refund_invalid_id")))
        let gone = Commands(refund: .failure(missing))
        await #expect(throws: ActionFailure<StoreError>.failed(.notFound(entity: "refund", id: "9"))) {
            try await retrieve(gone)
        }
        #expect(gone.saved.entries == [.gone(siteID: 5, refundID: 9)])
        let unreachable = Commands()
        await #expect(throws: ActionFailure<StoreError>.failed(.canceled)) { try await retrieve(unreachable) }
        #expect(unreachable.saved.entries.isEmpty)
    }

    @Test func `the first page replaces the stored refunds, unless one of it cannot be read`() async throws {
        let refund = Refund.fake().copy(siteID: 5, orderID: 7, id: 9)
        func saved(page: Int, rejected: [DecodingFailure] = []) async throws -> [RefundChanges] {
            let commands = Commands(list: ElementList(elements: [refund], rejected: rejected))
            let _: Page<Refund> = try await value(commands) {
                RefundAction.synchronizeRefunds(
                    siteID: 5, orderID: 7, page: PageRequest(number: page), onCompletion: $0)
            }
            return commands.saved.entries
        }
        #expect(try await saved(page: 1) == [.all([refund], siteID: 5, orderID: 7)])
        #expect(try await saved(page: 2) == [.some([refund])])
        let failure = DecodingFailure(.missing, at: "[1].amount")
        #expect(try await saved(page: 1, rejected: [failure]) == [.some([refund])])
    }
}
