/// The stores that need a store site.
public enum SiteStores {
    /// Every one of them, for one session.
    public static func all(_ context: StoreContext) -> [any Store] {
        [
            AccountStore(context), CommentStore(context), CustomerStore(context), NotificationStore(context),
            OrderNoteStore(context), OrderStatusStore(context), OrderStore(context), SettingStore(context),
            ShipmentStore(context), StatsStore(context), StatsStoreV4(context), TaxClassesStore(context),
        ]
    }
}
