import Hardware
import Networking
import Settings
import SimulatedTime
import Storage
import TestDoubles
import Testing

@testable import Yosemite

/// Receipts that the store makes itself.
@Suite(.simulatedTime) struct BackendReceiptTests {
    private func retrieve(_ till: TestTill, _ order: Int64) async throws -> BackendReceipt {
        try await till.receipt {
            .retrieveReceipt(siteID: StoreSiteNetwork.siteID, orderID: order, onCompletion: $0)
        }
    }

    private func failure(_ body: () async throws -> BackendReceipt) async -> ReceiptStoreError? {
        do { _ = try await body() } catch {
            guard case .failed(let failure)? = error as? ActionFailure<ReceiptStoreError> else { return nil }
            return failure
        }
        return nil
    }

    @Test func `the store returns the address of its receipt and its expiration`() async throws {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let receipt = try await retrieve(till, order.id)
        #expect(receipt.receiptURL.hasPrefix(StoreSiteNetwork.address))
        // A new one each time.
        #expect(try await retrieve(till, order.id).receiptURL != receipt.receiptURL)
    }

    @Test func `an unknown order has no receipt`() async throws {
        let till = try TestTill(StoreSiteNetwork())
        #expect(
            await failure { try await retrieve(till, 999_999) } == .site(.notFound(entity: "order", id: "999999")))
    }

    @Test func `a store that is too old for receipts is reported as such`() async throws {
        let store = StoreSiteNetwork()
        let till = try TestTill(store) {
            $0.wrapNetwork = { _ in
                let old = MockNetwork()
                old.simulate(
                    "receipt", json: #"{"code":"rest_no_route","message":"No route was found."}"#, status: 404)
                return old
            }
        }
        #expect(await failure { try await retrieve(till, 1) } == .noBackendReceipts)
    }

    @Test func `with backend receipts turned off there is no request`() async throws {
        let store = StoreSiteNetwork()
        let till = try TestTill(store) { try $0.features.add(environment: "-backendReceipts") }
        #expect(await failure { try await retrieve(till, 1) } == .switchedOff(.backendReceipts))
        #expect(store.requests.isEmpty)
    }

    @Test func `without a store there is no receipt`() async throws {
        let till = try TestTill()
        #expect(await failure { try await retrieve(till, 1) } == .noStoreSite)
    }
}
