public import Determinism

/// What ``AppSettingsStore`` does. Every completion is called exactly once.
public enum AppSettingsAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    // MARK: Carriers

    /// Remembers the carrier that was chosen last.
    case addTrackingProvider(siteID: Int64, providerName: String, onCompletion: Completion<Void>)
    /// The carrier that was chosen last; nil when none was.
    case loadTrackingProvider(siteID: Int64, onCompletion: Completion<TrackingProviderChoice?>)
    /// Remembers a carrier that the store does not know.
    case addCustomTrackingProvider(siteID: Int64, name: String, url: String?, onCompletion: Completion<Void>)
    /// The carrier that the store does not know and that was given last; nil when none was.
    case loadCustomTrackingProvider(siteID: Int64, onCompletion: Completion<TrackingProviderChoice?>)
    /// Forgets the carriers of all stores.
    case resetStoredProviders(onCompletion: Completion<Void>)

    // MARK: Orders

    /// How somebody wants to see the orders of a store; nil when they never said.
    case loadOrdersSettings(siteID: Int64, onCompletion: Completion<OrdersSettings?>)
    case upsertOrdersSettings(siteID: Int64, settings: OrdersSettings, onCompletion: Completion<Void>)
    /// Forgets it of all stores.
    case resetOrdersSettings(onCompletion: Completion<Void>)
    case setLastSelectedOrderStatus(siteID: Int64, status: String?, onCompletion: Completion<Void>)
    case loadLastSelectedOrderStatus(siteID: Int64, onCompletion: Completion<String?>)
    case setSelectedTaxRateID(id: Int64?, siteID: Int64, onCompletion: Completion<Void>)
    case loadSelectedTaxRateID(siteID: Int64, onCompletion: Completion<Int64?>)
    /// Whether payments without an order bear taxes.
    case setSimplePaymentsTaxesToggleState(siteID: Int64, isOn: Bool, onCompletion: Completion<Void>)
    /// False when nobody said so.
    case getSimplePaymentsTaxesToggleState(siteID: Int64, onCompletion: Completion<Bool>)

    // MARK: Statistics

    /// Remembers the range that somebody looked at last, by its word.
    case setLastSelectedStatsTimeRange(siteID: Int64, timeRange: String, onCompletion: Completion<Void>)
    case loadLastSelectedStatsTimeRange(siteID: Int64, onCompletion: Completion<String?>)
    case setCustomStatsTimeRange(siteID: Int64, timeRange: String, onCompletion: Completion<Void>)
    case loadCustomStatsTimeRange(siteID: Int64, onCompletion: Completion<String?>)

    // MARK: Payments

    /// Remembers the payment gateway that is preferred where there are several.
    case setPreferredInPersonPaymentGateway(siteID: Int64, gateway: String, onCompletion: Completion<Void>)
    case getPreferredInPersonPaymentGateway(siteID: Int64, onCompletion: Completion<String?>)
    case forgetPreferredInPersonPaymentGateway(siteID: Int64, onCompletion: Completion<Void>)
    /// When the first payment was taken with such a reader; nil when none was.
    case loadFirstInPersonPaymentsTransactionDate(
        siteID: Int64, cardReaderType: String, onCompletion: Completion<Timestamp?>)
    /// Remembers the moment of a payment, unless there was one with such a reader before. Completes with whether it did.
    case storeInPersonPaymentsTransactionIfFirst(
        siteID: Int64, cardReaderType: String, at: Timestamp, onCompletion: Completion<Bool>)
    case loadSiteHasAtLeastOneIPPTransactionFinished(siteID: Int64, onCompletion: Completion<Bool>)

    // MARK: Favourites

    /// Puts a product at the end of the favourites, unless it is one.
    case setProductIDAsFavorite(productID: Int64, siteID: Int64, onCompletion: Completion<Void>)
    case removeProductIDAsFavorite(productID: Int64, siteID: Int64, onCompletion: Completion<Void>)
    /// In the order in which they became favourites.
    case loadFavoriteProductIDs(siteID: Int64, onCompletion: Completion<[Int64]>)

    /// Forgets everything of all stores but carriers and orders, which have resets of their own.
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
