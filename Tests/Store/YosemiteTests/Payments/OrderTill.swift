import Hardware
import Money
import Networking
import Payments
import Storage
import StoreSite
import Synchronization
import Testing
import Text

@testable import Yosemite

/// A network that lets a test do something around its requests, or keep them from the store.
struct MeddlingNetwork: Network {
    let network: any Network
    var before: @Sendable (HTTPRequest) async throws(NetworkError) -> Void = { _ in }
    var after: @Sendable (HTTPRequest) async throws(NetworkError) -> Void = { _ in }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await before(request)
        let response = try await network.response(for: request)
        try await after(request)
        return response
    }
}

extension HTTPRequest {
    /// Whether it notifies a store that an order is paid.
    var isCapture: Bool { address.query?.contains("capture_terminal_payment") == true }
}

/// What stands for the capture of any order.
let capturePath = "POST /wc/v3/payments/orders/*/capture_terminal_payment"

extension StoreSiteNetwork {
    private func orders() throws -> OrdersRemote { OrdersRemote(client(try Self.applicationPassword)) }

    /// Makes an order that waits for its payment.
    func makeOrder(_ total: String = "12.50", _ change: (inout OrderChanges) -> Void = { _ in }) async throws
        -> Networking.Order
    {
        var changes = OrderChanges()
        changes.status = .pending
        changes.fees = [
            OrderChanges.Fee(name: "Goods", total: try #require(ExactDecimal(total)), isTaxed: false)
        ]
        change(&changes)
        return try await orders().createOrder(siteID: Self.siteID, changes)
    }

    func order(_ id: Int64) async throws -> Networking.Order {
        try await orders().loadOrder(siteID: Self.siteID, orderID: id)
    }

    @discardableResult
    func changeOrder(_ id: Int64, _ change: (inout OrderChanges) -> Void) async throws -> Networking.Order {
        var changes = OrderChanges()
        change(&changes)
        return try await orders().updateOrder(siteID: Self.siteID, orderID: id, changes)
    }

    func deleteOrder(_ id: Int64) async throws {
        _ = try await orders().deleteOrder(siteID: Self.siteID, orderID: id, force: true)
    }

    /// Deletes a refund like another user.
    func deleteRefund(_ id: Int64, of order: Int64) async throws {
        let credentials = [UInt8]("\(Self.username):\(Self.password.filter { $0 != " " })".utf8).base64
        let answer = site.answer(
            SiteRequest(
                method: "DELETE", target: "/wp-json/wc/v3/orders/\(order)/refunds/\(id)?force=true",
                headers: [("Authorization", "Basic " + credentials)], body: []))
        #expect(answer.response.status == 200)
    }

    /// Pays an order like another user.
    func payOtherwise(_ id: Int64) async throws {
        _ = try await WCPayRemote(client(try Self.applicationPassword)).captureOrderPayment(
            siteID: Self.siteID, orderID: id, paymentIntentID: "pi_other", idempotencyKey: "pi_other")
    }

    /// What the store took for an order: the intent of every charge.
    func charges(_ id: Int64) -> [String] { site.ledger.filter { $0.orderID == id }.map(\.paymentIntentID) }

    var captureRequests: Int { requests.filter(\.isCapture).count }
}

extension TestTill {
    /// A till with a signed-in user.
    convenience init(
        _ store: StoreSiteNetwork, card: String = "visa-credit", _ configure: (inout Plan) throws -> Void = { _ in }
    ) throws {
        try self.init(card) { plan in
            plan.store = store
            try configure(&plan)
        }
    }

    /// Connects, chooses WooPayments, and pays an order.
    func pay(
        order: Int64, expected: Money? = nil, onEvent: @escaping @Sendable (CardReaderEvent) -> Void = { _ in }
    ) async throws -> Payment {
        try await connect()
        return try await collect(order: order, expected: expected, onEvent: onEvent)
    }

    func collect(
        order: Int64, expected: Money? = nil, onEvent: @escaping @Sendable (CardReaderEvent) -> Void = { _ in }
    ) async throws -> Payment {
        try await choose("woocommerce-payments")
        let request = OrderPaymentRequest(
            siteID: StoreSiteNetwork.siteID, orderID: order, expectedAmount: expected)
        return try await perform { done in
            .collectOrderPayment(
                request: request, onCardReaderMessage: { self.take($0, onEvent) }, onProcessingCompletion: { _ in },
                onCompletion: { result in
                    self.countAnswer()
                    done(result)
                })
        }
    }

    /// Chooses a gateway of the store.
    func choose(_ gateway: String) async throws {
        let accounts: [PaymentGatewayAccount] = try await perform {
            .loadAccounts(siteID: StoreSiteNetwork.siteID, onCompletion: $0)
        }
        let account = try #require(accounts.first { $0.gatewayID == gateway })
        try dispatcher.dispatch(CardPresentPaymentsAction.use(account: account))
    }

    /// Sends the open notifications, or that of one payment.
    @discardableResult
    func syncPayments(_ payment: Payment? = nil) async throws -> OrderPaymentReport {
        try await perform { .syncOrderPayments(paymentID: payment?.id, onCompletion: $0) }
    }

    /// Why something failed.
    func failure<Value: Sendable>(_ body: () async throws -> Value) async -> CardPresentPaymentsError? {
        do {
            _ = try await body()
            return nil
        } catch {
            guard case .failed(let failure)? = error as? ActionFailure<CardPresentPaymentsError> else { return nil }
            return failure
        }
    }
}

/// Freezes everything at one moment of a payment: what is on the disk then, and what the store knows.
final class Freeze: Sendable {
    private let database: TestDatabase
    private let moment: Int
    private let state = Mutex<(passed: Int, copy: TestDatabase?)>((0, nil))

    init(_ database: TestDatabase, at moment: Int) { (self.database, self.moment) = (database, moment) }

    var copy: TestDatabase? { state.withLock { $0.copy } }

    func pass() throws(NetworkError) {
        let isOver = state.withLock { state in
            if state.passed == moment { state.copy = try? database.afterKill() }
            state.passed += 1
            return state.copy != nil
        }
        if isOver { throw .cannotConnect(host: "store.example", reason: "the program is gone") }
    }
}
