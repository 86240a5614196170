public import Determinism
import Files

/// The actions of ``AppSettingsStore``. Every completion is called exactly once.
public enum AppSettingsAction: Action {
    // MARK: Carriers

    /// Stores the carrier last chosen.
    case addTrackingProvider(siteID: Int64, providerName: String, onCompletion: Completion<Void>)
    /// Loads the carrier last chosen; nil for none.
    case loadTrackingProvider(siteID: Int64, onCompletion: Completion<TrackingProviderChoice?>)
    /// Stores a carrier that the store doesn't have.
    case addCustomTrackingProvider(siteID: Int64, name: String, url: String?, onCompletion: Completion<Void>)
    /// Loads the last such carrier; nil for none.
    case loadCustomTrackingProvider(siteID: Int64, onCompletion: Completion<TrackingProviderChoice?>)
    /// Deletes the carriers of all stores.
    case resetStoredProviders(onCompletion: Completion<Void>)

    // MARK: Orders

    /// Loads the user's filter for the orders of a store; nil for none.
    case loadOrdersSettings(siteID: Int64, onCompletion: Completion<OrdersSettings?>)
    case upsertOrdersSettings(siteID: Int64, settings: OrdersSettings, onCompletion: Completion<Void>)
    /// Deletes the filters of all stores.
    case resetOrdersSettings(onCompletion: Completion<Void>)
    case setLastSelectedOrderStatus(siteID: Int64, status: String?, onCompletion: Completion<Void>)
    case loadLastSelectedOrderStatus(siteID: Int64, onCompletion: Completion<String?>)
    case setSelectedTaxRateID(id: Int64?, siteID: Int64, onCompletion: Completion<Void>)
    case loadSelectedTaxRateID(siteID: Int64, onCompletion: Completion<Int64?>)
    /// Stores whether payments without an order are taxed.
    case setSimplePaymentsTaxesToggleState(siteID: Int64, isOn: Bool, onCompletion: Completion<Void>)
    /// Loads whether payments without an order are taxed; false if never set.
    case getSimplePaymentsTaxesToggleState(siteID: Int64, onCompletion: Completion<Bool>)

    // MARK: Statistics

    /// Stores the last time range of statistics, by its name.
    case setLastSelectedStatsTimeRange(siteID: Int64, timeRange: String, onCompletion: Completion<Void>)
    case loadLastSelectedStatsTimeRange(siteID: Int64, onCompletion: Completion<String?>)
    case setCustomStatsTimeRange(siteID: Int64, timeRange: String, onCompletion: Completion<Void>)
    case loadCustomStatsTimeRange(siteID: Int64, onCompletion: Completion<String?>)

    // MARK: Payments

    /// Stores the preferred payment gateway of a store with several.
    case setPreferredInPersonPaymentGateway(siteID: Int64, gateway: String, onCompletion: Completion<Void>)
    case getPreferredInPersonPaymentGateway(siteID: Int64, onCompletion: Completion<String?>)
    case forgetPreferredInPersonPaymentGateway(siteID: Int64, onCompletion: Completion<Void>)
    /// Loads the time of the first payment with such a reader; nil for none.
    case loadFirstInPersonPaymentsTransactionDate(
        siteID: Int64, cardReaderType: String, onCompletion: Completion<Timestamp?>)
    /// Stores the time of a payment if it is the first with such a reader. Completes with whether it was.
    case storeInPersonPaymentsTransactionIfFirst(
        siteID: Int64, cardReaderType: String, at: Timestamp, onCompletion: Completion<Bool>)
    case loadSiteHasAtLeastOneIPPTransactionFinished(siteID: Int64, onCompletion: Completion<Bool>)

    // MARK: Favorites

    /// Appends a product to the favorites, unless it is one.
    case setProductIDAsFavorite(productID: Int64, siteID: Int64, onCompletion: Completion<Void>)
    case removeProductIDAsFavorite(productID: Int64, siteID: Int64, onCompletion: Completion<Void>)
    /// Loads the favorites, in the order in which they were added.
    case loadFavoriteProductIDs(siteID: Int64, onCompletion: Completion<[Int64]>)

    /// Deletes all settings of all stores, except carriers and order filters, which have their own actions.
    case resetGeneralStoreSettings(onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .addTrackingProvider(let siteID, _, _), .loadTrackingProvider(let siteID, _),
            .addCustomTrackingProvider(let siteID, _, _, _), .loadCustomTrackingProvider(let siteID, _),
            .loadOrdersSettings(let siteID, _), .upsertOrdersSettings(let siteID, _, _),
            .setLastSelectedOrderStatus(let siteID, _, _), .loadLastSelectedOrderStatus(let siteID, _),
            .setSelectedTaxRateID(_, let siteID, _), .loadSelectedTaxRateID(let siteID, _),
            .setSimplePaymentsTaxesToggleState(let siteID, _, _), .getSimplePaymentsTaxesToggleState(let siteID, _),
            .setLastSelectedStatsTimeRange(let siteID, _, _), .loadLastSelectedStatsTimeRange(let siteID, _),
            .setCustomStatsTimeRange(let siteID, _, _), .loadCustomStatsTimeRange(let siteID, _),
            .setPreferredInPersonPaymentGateway(let siteID, _, _), .getPreferredInPersonPaymentGateway(let siteID, _),
            .forgetPreferredInPersonPaymentGateway(let siteID, _),
            .loadFirstInPersonPaymentsTransactionDate(let siteID, _, _),
            .storeInPersonPaymentsTransactionIfFirst(let siteID, _, _, _),
            .loadSiteHasAtLeastOneIPPTransactionFinished(let siteID, _), .loadFavoriteProductIDs(let siteID, _):
            ["site": String(siteID)]
        case .setProductIDAsFavorite(let productID, let siteID, _),
            .removeProductIDAsFavorite(let productID, let siteID, _):
            ["site": String(siteID), "product": String(productID)]
        case .resetStoredProviders, .resetOrdersSettings, .resetGeneralStoreSettings: [:]
        }
    }
}

/// The user's settings for each store, in a settings file. It needs no site.
public final class AppSettingsStore: Store {
    private let file: AppSettingsFile

    /// - Parameter file: the settings file.
    public init(_ file: AppSettingsFile) { self.file = file }

    public func onAction(_ action: AppSettingsAction) {
        switch action {
        case .addTrackingProvider(let siteID, let name, let onCompletion):
            set(.trackingProvider, siteID, TrackingProviderChoice(name: name), onCompletion)
        case .loadTrackingProvider(let siteID, let onCompletion): get(.trackingProvider, siteID, onCompletion)
        case .addCustomTrackingProvider(let siteID, let name, let url, let onCompletion):
            set(.customTrackingProvider, siteID, TrackingProviderChoice(name: name, url: url), onCompletion)
        case .loadCustomTrackingProvider(let siteID, let onCompletion):
            get(.customTrackingProvider, siteID, onCompletion)
        case .resetStoredProviders(let onCompletion): remove(Self.providers, onCompletion)

        case .loadOrdersSettings(let siteID, let onCompletion): get(.orders, siteID, onCompletion)
        case .upsertOrdersSettings(let siteID, let settings, let onCompletion):
            set(.orders, siteID, settings, onCompletion)
        case .resetOrdersSettings(let onCompletion): remove(Self.orders, onCompletion)
        case .setLastSelectedOrderStatus(let siteID, let status, let onCompletion):
            set(Self.orderStatus, siteID, status, onCompletion)
        case .loadLastSelectedOrderStatus(let siteID, let onCompletion): get(Self.orderStatus, siteID, onCompletion)
        case .setSelectedTaxRateID(let id, let siteID, let onCompletion): set(Self.taxRate, siteID, id, onCompletion)
        case .loadSelectedTaxRateID(let siteID, let onCompletion): get(Self.taxRate, siteID, onCompletion)
        case .setSimplePaymentsTaxesToggleState(let siteID, let isOn, let onCompletion):
            set(Self.taxesOnSimplePayments, siteID, isOn, onCompletion)
        case .getSimplePaymentsTaxesToggleState(let siteID, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                try file.value(of: Self.taxesOnSimplePayments, siteID: siteID) ?? false
            }

        case .setLastSelectedStatsTimeRange(let siteID, let range, let onCompletion):
            set(Self.statsRange, siteID, range, onCompletion)
        case .loadLastSelectedStatsTimeRange(let siteID, let onCompletion): get(Self.statsRange, siteID, onCompletion)
        case .setCustomStatsTimeRange(let siteID, let range, let onCompletion):
            set(Self.customStatsRange, siteID, range, onCompletion)
        case .loadCustomStatsTimeRange(let siteID, let onCompletion): get(Self.customStatsRange, siteID, onCompletion)

        case .setPreferredInPersonPaymentGateway(let siteID, let gateway, let onCompletion):
            set(Self.gateway, siteID, gateway, onCompletion)
        case .getPreferredInPersonPaymentGateway(let siteID, let onCompletion): get(Self.gateway, siteID, onCompletion)
        case .forgetPreferredInPersonPaymentGateway(let siteID, let onCompletion):
            set(Self.gateway, siteID, nil, onCompletion)
        case .loadFirstInPersonPaymentsTransactionDate(let siteID, let type, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                try file.value(of: Self.firstTransactions, siteID: siteID)?[type]
            }
        case .storeInPersonPaymentsTransactionIfFirst(let siteID, let type, let moment, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                // Most payments are not the first, and must not cost a disk flush.
                guard try file.value(of: Self.firstTransactions, siteID: siteID)?[type] == nil else { return false }
                let before = try file.update(Self.firstTransactions, siteID: siteID) { moments in
                    (moments ?? [:]).merging([type: moment]) { earlier, _ in earlier }
                }
                return before?[type] == nil
            }
        case .loadSiteHasAtLeastOneIPPTransactionFinished(let siteID, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                try file.value(of: Self.firstTransactions, siteID: siteID)?.isEmpty == false
            }

        case .setProductIDAsFavorite(let productID, let siteID, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                _ = try file.update(Self.favorites, siteID: siteID) { favorites in
                    let favorites = favorites ?? []
                    return favorites.contains(productID) ? favorites : favorites + [productID]
                }
            }
        case .removeProductIDAsFavorite(let productID, let siteID, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                _ = try file.update(Self.favorites, siteID: siteID) { $0?.filter { $0 != productID } }
            }
        case .loadFavoriteProductIDs(let siteID, let onCompletion):
            answer(onCompletion) { file throws(FileStorageError) in
                try file.value(of: Self.favorites, siteID: siteID) ?? []
            }

        case .resetGeneralStoreSettings(let onCompletion): remove(Self.general, onCompletion)
        }
    }

    /// The actions that delete all settings, for the end of a session.
    public static var resets: [any Action] {
        [
            AppSettingsAction.resetStoredProviders { _ in }, AppSettingsAction.resetOrdersSettings { _ in },
            AppSettingsAction.resetGeneralStoreSettings { _ in },
        ]
    }

    // MARK: Settings

    private static let orderStatus = SettingsKey.text("orderStatus")
    private static let taxRate = SettingsKey.number("taxRate")
    private static let taxesOnSimplePayments = SettingsKey.flag("taxesOnSimplePayments")
    private static let statsRange = SettingsKey.text("statsRange")
    private static let customStatsRange = SettingsKey.text("customStatsRange")
    private static let gateway = SettingsKey.text("gateway")
    private static let firstTransactions = SettingsKey.moments("firstTransactions")
    private static let favorites = SettingsKey.numbers("favoriteProducts")

    private static let providers = [
        SettingsKey.trackingProvider.name, SettingsKey.customTrackingProvider.name,
    ]
    private static let orders = [SettingsKey.orders.name]
    private static let general = [
        orderStatus.name, taxRate.name, taxesOnSimplePayments.name, statsRange.name, customStatsRange.name,
        gateway.name, firstTransactions.name, favorites.name,
    ]

    // MARK: Answers

    private func get<Value: Sendable>(
        _ key: SettingsKey<Value>, _ siteID: Int64, _ onCompletion: AppSettingsAction.Completion<Value?>
    ) {
        answer(onCompletion) { file throws(FileStorageError) in try file.value(of: key, siteID: siteID) }
    }

    private func set<Value: Sendable>(
        _ key: SettingsKey<Value>, _ siteID: Int64, _ value: Value?, _ onCompletion: AppSettingsAction.Completion<Void>
    ) {
        answer(onCompletion) { file throws(FileStorageError) in try file.set(key, siteID: siteID, to: value) }
    }

    private func remove(_ names: [String], _ onCompletion: AppSettingsAction.Completion<Void>) {
        answer(onCompletion) { file throws(FileStorageError) in try file.remove(names) }
    }

    private func answer<Value>(
        _ onCompletion: AppSettingsAction.Completion<Value>,
        _ body: (AppSettingsFile) throws(FileStorageError) -> Value
    ) {
        do throws(FileStorageError) { onCompletion(.success(try body(file))) } catch {
            onCompletion(.failure(.settings(error)))
        }
    }
}
