internal import Determinism
internal import Files

/// Remembers what somebody chose, store by store, in a file of settings. It needs no site.
public final class AppSettingsStore: Store {
    public typealias SupportedAction = AppSettingsAction

    private let file: AppSettingsFile

    /// - Parameter file: keeps the settings.
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
                // Most payments are not the first: they must not cost a flush of the disk.
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

    /// The actions that forget everything, for the end of a session.
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
