import Determinism
import Files
import Foundation
import Testing

@testable import Yosemite

@Suite struct AppSettingsStoreTests {
    private let path: String
    private let dispatcher = Dispatcher(time: VirtualTimeSource())
    private let folder: Folder

    init() throws {
        folder = try Folder()
        path = folder.path + "/till.settings"
        _ = try dispatcher.register(AppSettingsStore(AppSettingsFile(path: path)))
    }

    private func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> AppSettingsAction
    ) async throws -> Value {
        try await dispatcher.perform { makeAction($0) }
    }

    private func text() throws -> String {
        String(decoding: try #require(try FileStorage().contents(of: path)), as: UTF8.self)
    }

    @Test func `one site's choices do not touch another's`() async throws {
        for site in Int64(1)...3 {
            try await value {
                AppSettingsAction.addTrackingProvider(siteID: site, providerName: "Carrier \(site)", onCompletion: $0)
            }
        }
        try await value {
            AppSettingsAction.addCustomTrackingProvider(
                siteID: 2, name: "Own", url: "https://own.example/{}", onCompletion: $0)
        }
        try await value {
            AppSettingsAction.addCustomTrackingProvider(
                siteID: 2, name: "Own 2", url: "https://own2.example", onCompletion: $0)
        }
        for site in Int64(1)...3 {
            let choice = try await value {
                AppSettingsAction.loadTrackingProvider(siteID: site, onCompletion: $0)
            }
            #expect(choice == TrackingProviderChoice(name: "Carrier \(site)"))
        }
        let own = try await value { AppSettingsAction.loadCustomTrackingProvider(siteID: 2, onCompletion: $0) }
        #expect(own == TrackingProviderChoice(name: "Own 2", url: "https://own2.example"))
        #expect(try await value { AppSettingsAction.loadCustomTrackingProvider(siteID: 1, onCompletion: $0) } == nil)
    }

    @Test func `both kinds of carriers are deleted, and nothing else`() async throws {
        try await value {
            AppSettingsAction.addCustomTrackingProvider(siteID: 1, name: "Own", url: nil, onCompletion: $0)
        }
        try await value { AppSettingsAction.setSelectedTaxRateID(id: 5, siteID: 1, onCompletion: $0) }
        try await value { AppSettingsAction.resetStoredProviders(onCompletion: $0) }
        #expect(try await value { AppSettingsAction.loadCustomTrackingProvider(siteID: 1, onCompletion: $0) } == nil)
        #expect(try await value { AppSettingsAction.loadSelectedTaxRateID(siteID: 1, onCompletion: $0) } == 5)
    }

    @Test func `changing or deleting a setting keeps all others`() async throws {
        let orders = OrdersSettings(statuses: ["pending", "x"], from: "2026-01-01", productID: 4, customerID: 9)
        try await value { AppSettingsAction.upsertOrdersSettings(siteID: 1, settings: orders, onCompletion: $0) }
        try await value {
            AppSettingsAction.setLastSelectedStatsTimeRange(siteID: 1, timeRange: "thisWeek", onCompletion: $0)
        }
        try await value {
            AppSettingsAction.setCustomStatsTimeRange(siteID: 1, timeRange: "a_b", onCompletion: $0)
        }
        try await value { AppSettingsAction.setLastSelectedOrderStatus(siteID: 1, status: "pending", onCompletion: $0) }
        try await value {
            AppSettingsAction.setSimplePaymentsTaxesToggleState(siteID: 1, isOn: true, onCompletion: $0)
        }
        try await value {
            AppSettingsAction.setPreferredInPersonPaymentGateway(
                siteID: 1, gateway: "woocommerce-stripe", onCompletion: $0)
        }
        try await value { AppSettingsAction.setSelectedTaxRateID(id: 5, siteID: 1, onCompletion: $0) }
        try await value { AppSettingsAction.setSelectedTaxRateID(id: nil, siteID: 1, onCompletion: $0) }
        try await value { AppSettingsAction.setLastSelectedOrderStatus(siteID: 1, status: nil, onCompletion: $0) }

        #expect(try await value { AppSettingsAction.loadOrdersSettings(siteID: 1, onCompletion: $0) } == orders)
        #expect(
            try await value { AppSettingsAction.loadLastSelectedStatsTimeRange(siteID: 1, onCompletion: $0) }
                == "thisWeek")
        #expect(try await value { AppSettingsAction.loadCustomStatsTimeRange(siteID: 1, onCompletion: $0) } == "a_b")
        #expect(
            try await value { AppSettingsAction.getSimplePaymentsTaxesToggleState(siteID: 1, onCompletion: $0) })
        #expect(
            try await value { AppSettingsAction.getPreferredInPersonPaymentGateway(siteID: 1, onCompletion: $0) }
                == "woocommerce-stripe")
        #expect(try await value { AppSettingsAction.loadSelectedTaxRateID(siteID: 1, onCompletion: $0) } == nil)
        #expect(try await value { AppSettingsAction.loadLastSelectedOrderStatus(siteID: 1, onCompletion: $0) } == nil)
        try await value {
            AppSettingsAction.forgetPreferredInPersonPaymentGateway(siteID: 1, onCompletion: $0)
        }
        #expect(
            try await value { AppSettingsAction.getPreferredInPersonPaymentGateway(siteID: 1, onCompletion: $0) }
                == nil)
        try await value { AppSettingsAction.resetOrdersSettings(onCompletion: $0) }
        #expect(try await value { AppSettingsAction.loadOrdersSettings(siteID: 1, onCompletion: $0) } == nil)
        try await value { AppSettingsAction.resetGeneralStoreSettings(onCompletion: $0) }
        #expect(
            try await value { AppSettingsAction.loadLastSelectedStatsTimeRange(siteID: 1, onCompletion: $0) } == nil)
    }

    @Test func `favorites keep their order without duplicates`() async throws {
        for product: Int64 in [9, 3, 7, 3] {
            try await value {
                AppSettingsAction.setProductIDAsFavorite(productID: product, siteID: 1, onCompletion: $0)
            }
        }
        #expect(try await value { AppSettingsAction.loadFavoriteProductIDs(siteID: 1, onCompletion: $0) } == [9, 3, 7])
        try await value { AppSettingsAction.removeProductIDAsFavorite(productID: 3, siteID: 1, onCompletion: $0) }
        #expect(try await value { AppSettingsAction.loadFavoriteProductIDs(siteID: 1, onCompletion: $0) } == [9, 7])
        #expect(try await value { AppSettingsAction.loadFavoriteProductIDs(siteID: 2, onCompletion: $0) } == [])
    }

    @Test func `the first payment with a reader stays the first`() async throws {
        let (first, later) = (Timestamp(milliseconds: 1_000), Timestamp(milliseconds: 2_000))
        #expect(
            try await !value {
                AppSettingsAction.loadSiteHasAtLeastOneIPPTransactionFinished(siteID: 1, onCompletion: $0)
            })
        let results = try await [
            value {
                AppSettingsAction.storeInPersonPaymentsTransactionIfFirst(
                    siteID: 1, cardReaderType: "usb", at: first, onCompletion: $0)
            },
            value {
                AppSettingsAction.storeInPersonPaymentsTransactionIfFirst(
                    siteID: 1, cardReaderType: "usb", at: later, onCompletion: $0)
            },
        ]
        #expect(results == [true, false])
        #expect(
            try await value {
                AppSettingsAction.loadFirstInPersonPaymentsTransactionDate(
                    siteID: 1, cardReaderType: "usb", onCompletion: $0)
            } == first)
        #expect(
            try await value {
                AppSettingsAction.loadSiteHasAtLeastOneIPPTransactionFinished(siteID: 1, onCompletion: $0)
            })
    }

    @Test func `unknown keys stay in the file`() async throws {
        let kept = #"{"version":1,"later":{"a":1.50},"sites":{"1":{"colour":"blue","taxRate":2},"x":{}}}"#
        try FileStorage().replace(path, with: Array(kept.utf8))
        try await value { AppSettingsAction.setSelectedTaxRateID(id: 5, siteID: 1, onCompletion: $0) }
        let text = try text()
        for part in ["\"later\"", "1.50", "\"colour\" : \"blue\"", "\"taxRate\" : 5", "\"x\" : {}"] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test(arguments: [
        "", "{", "[]", #"{"version":"1"}"#, #"{"version":1,"sites":[]}"#, #"{"version":1,"sites":{"1":7}}"#,
        #"{"version":1,"sites":{"1":{"taxRate":"5"}}}"#, #"{"version":2}"#,
    ])
    func `a file that cannot be read is an error, and is never overwritten`(content: String) async throws {
        try FileStorage().replace(path, with: Array(content.utf8))
        await #expect(throws: (any Error).self) {
            try await value { AppSettingsAction.setSelectedTaxRateID(id: 5, siteID: 1, onCompletion: $0) } as Void
        }
        await #expect(throws: (any Error).self) {
            _ = try await value { AppSettingsAction.loadSelectedTaxRateID(siteID: 1, onCompletion: $0) }
        }
        #expect(try text() == content)
    }

    @Test func `deleting nothing creates no file`() async throws {
        for action in AppSettingsStore.resets { try dispatcher.dispatch(action) }
        #expect(try FileStorage().contents(of: path) == nil)
    }
}

/// A temporary folder for one test.
private final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/cardpresent-settings-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
