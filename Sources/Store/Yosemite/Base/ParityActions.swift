/// The actions that no command and no simulated session dispatches.
///
/// They exist for parity with the architecture that this layer follows, that of the WooCommerce mobile apps: a program
/// that uses this library as its business logic finds the same actions here. Each has a test. A test also compares this
/// list with the sources: an action that a command begins to use has to be removed from it, and a new action without
/// a user has to be added or deleted.
enum ParityActions {
    /// The cases by their type.
    static let cases: [String: Set<String>] = [
        "AccountAction": [
            "closeAccount", "loadAccount", "synchronizeSitesAndReturnSelectedSiteInfo", "updateAccountSettings",
        ],
        "AppSettingsAction": [
            "addCustomTrackingProvider", "addTrackingProvider", "forgetPreferredInPersonPaymentGateway",
            "getSimplePaymentsTaxesToggleState", "loadCustomStatsTimeRange", "loadCustomTrackingProvider",
            "loadFavoriteProductIDs", "loadFirstInPersonPaymentsTransactionDate", "loadLastSelectedOrderStatus",
            "loadLastSelectedStatsTimeRange", "loadOrdersSettings", "loadSelectedTaxRateID",
            "loadSiteHasAtLeastOneIPPTransactionFinished", "loadTrackingProvider", "removeProductIDAsFavorite",
            "setCustomStatsTimeRange", "setLastSelectedOrderStatus", "setLastSelectedStatsTimeRange",
            "setPreferredInPersonPaymentGateway", "setProductIDAsFavorite", "setSelectedTaxRateID",
            "setSimplePaymentsTaxesToggleState", "storeInPersonPaymentsTransactionIfFirst", "upsertOrdersSettings",
        ],
        "CardPresentPaymentsAction": [
            "cancelCardReaderDiscovery", "cancelCardReaderReconnection", "checkDeviceSupport", "fetchWCPayCharge",
            "forgetCardReaders", "loadActivePaymentGatewayExtension", "loadConnectionToken",
            "loadDefaultReaderLocation", "loadReaderSession", "observeCardReaderReconnection",
            "publishCardReaderConnections", "rememberCardReader", "selectedPaymentGatewayAccount",
        ],
        "CustomerAction": [
            "deleteAllCustomers", "loadCustomerSearchResults", "loadWCAnalyticsCustomerSearchResults",
            "searchCustomers", "synchronizeAllCustomers", "synchronizeLightCustomersData",
        ],
        "NotificationAction": [
            "registerDevice", "synchronizeNotification", "unregisterDevice", "updateLastSeen",
            "updateLocalDeletedStatus", "updateReadStatus",
        ],
        "OrderAction": [
            "checkIfStoreHasOrders", "createSimplePaymentsOrder", "deleteOrder", "fetchFilteredOrders",
            "loadSearchResults", "markOrderAsPaidLocally", "observeInsertedOrders", "resetStoredOrders",
            "retrieveOrderRemotely", "synchronizeOrders", "updateOrder", "updateOrderOptimistically",
            "updateSimplePaymentsOrder",
        ],
        "OrderStatusAction": [
            "loadOrderStatuses", "resetStoredOrderStatuses",
        ],
        "ReceiptAction": [
            "saveReceipt"
        ],
        "SettingAction": [
            "retrieveAnalyticsSetting", "retrieveCouponSetting", "retrieveSiteAPI", "retrieveTaxBasedOnSetting",
        ],
        "StatsAction": [
            "resetStoredStats", "retrieveOrderStats", "retrieveOrderTotals", "retrieveSiteVisitStats",
            "retrieveTopEarnerStats",
        ],
        "StatsActionV4": [
            "resetStoredStats", "retrieveCustomStats", "retrieveTopProductBundles",
        ],
        "TaxClassesAction": [
            "requestMissingTaxClasses"
        ],
    ]
}
