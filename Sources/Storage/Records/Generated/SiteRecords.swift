// Made by Scripts/generate from the models: change that, not this.
/// Everything that is kept of sites and accounts. It may be forgotten: they can be asked for it again.
public enum SiteRecords {
    public static let types: [any KeyedObject.Type] = [
        AccountRecord.self,
        AccountSettingsRecord.self,
        CustomerRecord.self,
        GatewayAccountRecord.self,
        NoteRecord.self,
        OrderRecord.self,
        OrderNoteRecord.self,
        OrderStatsRecord.self,
        OrderStatsV4Record.self,
        OrderStatusRecord.self,
        SearchResultRecord.self,
        ShipmentTrackingRecord.self,
        ShipmentTrackingProviderGroupRecord.self,
        SiteRecord.self,
        SiteSettingRecord.self,
        SiteSummaryStatsRecord.self,
        SiteVisitStatsRecord.self,
        SynchronizationMarkRecord.self,
        TaxClassRecord.self,
        TaxRateRecord.self,
        TopEarnerStatsRecord.self,
        WCAnalyticsCustomerRecord.self,
        WCPayChargeRecord.self,
    ]
}
