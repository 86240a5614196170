/// Something that can be switched on and off without another program.
public enum FeatureFlag: String, Hashable, Sendable, CaseIterable {
    /// The site's own receipt of an order can be asked for.
    case backendReceipts
    /// Several requests to the store are on their way at the same time.
    case concurrentSync
    /// Credentials can be kept in the kernel's keyring.
    case kernelKeyring
    /// A change of an order shows here before the store has confirmed it, and is taken back when it does not.
    case optimisticOrderUpdates

    /// What it is for, in one line.
    public var summary: String {
        switch self {
        case .backendReceipts: "the store's own receipts of orders can be asked for"
        case .concurrentSync: "several requests to the store are on their way at the same time"
        case .kernelKeyring: "credentials can be kept in the kernel's keyring"
        case .optimisticOrderUpdates: "a changed order shows here before the store has confirmed it"
        }
    }

    /// Whether it is on where nobody says otherwise.
    func isOn(in build: BuildConfiguration) -> Bool {
        switch self {
        case .backendReceipts, .concurrentSync, .optimisticOrderUpdates: true
        // Whether the credentials outlive a login session depends on the machine's PAM settings.
        case .kernelKeyring: build == .development
        }
    }
}
