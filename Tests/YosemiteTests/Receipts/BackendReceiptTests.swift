import Experiments
import Hardware
import Networking
import Storage
import Testing

@testable import Yosemite

/// Receipts that the store makes itself.
@Suite struct BackendReceiptTests {
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

    @Test func `the store says where its receipt is and how long`() async throws {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let receipt = try await retrieve(till, order.id)
        #expect(receipt.receiptURL.hasPrefix(StoreSiteNetwork.address))
        // A new one each time.
        #expect(try await retrieve(till, order.id).receiptURL != receipt.receiptURL)
    }

    @Test func `an order that is not there has none`() async throws {
        let till = try TestTill(StoreSiteNetwork())
        #expect(
            await failure { try await retrieve(till, 999_999) } == .site(.notFound(entity: "order", id: "999999")))
    }

    @Test func `a store that is too old for it is told as that`() async throws {
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

    @Test func `with backend receipts switched off the store is not asked`() async throws {
        let store = StoreSiteNetwork()
        let till = try TestTill(store) { try $0.features.add(environment: "-backendReceipts") }
        #expect(await failure { try await retrieve(till, 1) } == .switchedOff(.backendReceipts))
        #expect(store.requests.isEmpty)
    }

    @Test func `without a store there is none`() async throws {
        let till = try TestTill()
        #expect(await failure { try await retrieve(till, 1) } == .noStoreSite)
    }
}
