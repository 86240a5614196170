/// The actions that no command and no simulated session dispatches, with the reasons.
///
/// They exist for parity with the architecture that this layer follows, that of the WooCommerce mobile apps: a program
/// that uses this library as its business logic finds the same actions here. Each has a test. A test also compares this
/// list with the sources: an action that a command begins to use has to be removed from it, and a new action without
/// a user has to be added or deleted.
enum ParityActions {
    /// Actions of one type that have the same reason.
    struct Group: Sendable {
        let type: String
        let names: Set<String>
        /// Why the program has no use for them.
        let reason: String
    }

    /// The cases by their type.
    static var cases: [String: Set<String>] {
        Dictionary(groups.map { ($0.type, $0.names) }) { $0.union($1) }
    }

    static let groups = [
        Group(
            type: "AccountAction",
            names: [
                "closeAccount", "loadAccount", "synchronizeSitesAndReturnSelectedSiteInfo", "updateAccountSettings",
            ], reason: "An account is managed at WordPress.com."),
        Group(
            type: "AppSettingsAction", names: ["loadLastSelectedOrderStatus", "setLastSelectedOrderStatus"],
            reason: "An app remembers the tab of a status; 'orders list' remembers a whole filter."),
        Group(
            type: "AppSettingsAction", names: ["loadSelectedTaxRateID", "setSelectedTaxRateID"],
            reason:
                "An app enters the place of a tax rate as the address of an order; the till creates orders without one."
        ),
        Group(
            type: "AppSettingsAction",
            names: ["getSimplePaymentsTaxesToggleState", "setSimplePaymentsTaxesToggleState"],
            reason: "'orders create --taxed' decides for each order; a payment without an order has no tax."),
        Group(
            type: "AppSettingsAction",
            names: [
                "loadFirstInPersonPaymentsTransactionDate", "loadSiteHasAtLeastOneIPPTransactionFinished",
                "storeInPersonPaymentsTransactionIfFirst",
            ], reason: "They decide when an app asks for feedback; the journal has every payment with its date."),
        Group(
            type: "AppSettingsAction",
            names: ["loadFavoriteProductIDs", "removeProductIDAsFavorite", "setProductIDAsFavorite"],
            reason: "No command lists products."),
        Group(
            type: "CardPresentPaymentsAction",
            names: [
                "cancelCardReaderDiscovery", "cancelCardReaderReconnection", "checkDeviceSupport",
                "forgetCardReaders", "loadReaderSession", "observeCardReaderReconnection",
                "publishCardReaderConnections", "rememberCardReader",
            ],
            reason: "A payment of a command ends its discovery by itself; 'readers' works without the payments' store."),
        Group(
            type: "CardPresentPaymentsAction",
            names: [
                "fetchWCPayCharge", "loadActivePaymentGatewayExtension", "loadConnectionToken",
                "loadDefaultReaderLocation", "selectedPaymentGatewayAccount",
            ], reason: "Only the readers of a gateway need tokens and locations; the till's readers are its own."),
        Group(
            type: "CustomerAction",
            names: [
                "deleteAllCustomers", "loadCustomerSearchResults", "loadWCAnalyticsCustomerSearchResults",
                "searchCustomers", "synchronizeAllCustomers", "synchronizeLightCustomersData",
            ], reason: "They fill lists that grow while a user scrolls; commands read everything or search."),
        Group(
            type: "NotificationAction",
            names: [
                "registerDevice", "synchronizeNotification", "unregisterDevice", "updateLastSeen",
                "updateLocalDeletedStatus", "updateReadStatus",
            ], reason: "A till gets no push notifications, and marks several as read at once."),
        Group(
            type: "OrderAction",
            names: [
                "checkIfStoreHasOrders", "createSimplePaymentsOrder", "deleteOrder", "fetchFilteredOrders",
                "loadSearchResults", "markOrderAsPaidLocally", "observeInsertedOrders", "resetStoredOrders",
                "retrieveOrderRemotely", "synchronizeOrders", "updateOrder", "updateOrderOptimistically",
                "updateSimplePaymentsOrder",
            ], reason: "They serve screens that edit orders; commands create orders and change their status."),
        Group(
            type: "OrderStatusAction", names: ["loadOrderStatuses", "resetStoredOrderStatuses"],
            reason: "'orders status' asks the store, because plug-ins add statuses."),
        Group(
            type: "ReceiptAction", names: ["saveReceipt"],
            reason: "A payment saves its receipt in the commit that records it."),
        Group(
            type: "RefundAction",
            names: ["createRefund", "resetStoredRefunds", "retrieveRefund", "retrieveRefunds"],
            reason: "A refund of a payment reaches the store by itself; the store's own refunds are listed together."),
        Group(
            type: "SettingAction",
            names: [
                "retrieveAnalyticsSetting", "retrieveCouponSetting", "retrieveSiteAPI", "retrieveTaxBasedOnSetting",
            ], reason: "'settings sync' reads these settings with all others of their group."),
        Group(
            type: "StatsAction",
            names: [
                "resetStoredStats", "retrieveOrderStats", "retrieveOrderTotals", "retrieveSiteVisitStats",
                "retrieveTopEarnerStats",
            ], reason: "WordPress.com computed them for stores before WooCommerce 4.0."),
        Group(
            type: "StatsActionV4", names: ["resetStoredStats", "retrieveCustomStats", "retrieveTopProductBundles"],
            reason: "They fill cards of a dashboard."),
        Group(
            type: "TaxClassesAction", names: ["requestMissingTaxClasses"],
            reason: "It completes products, which no command lists."),
    ]
}
