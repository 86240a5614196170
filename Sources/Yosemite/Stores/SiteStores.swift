/// The stores that need a store site.
public enum SiteStores {
    /// Every one of them, for one session.
    public static func all(_ context: StoreContext) -> [any Store] {
        [
            AccountStore(context),
            OrderStore(context), OrderNoteStore(context), OrderStatusStore(context), CustomerStore(context),
        ]
    }
}
