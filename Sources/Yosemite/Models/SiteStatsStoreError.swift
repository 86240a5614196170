internal import Networking

/// Why there are no statistics, where somebody can do something about it.
public enum SiteStatsStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The site's owner has switched Jetpack's statistics off.
    case statsModuleDisabled
    /// The user may not see them.
    case noPermission
    /// The site is not connected with WordPress.com.
    case jetpackNotConnected
    /// The store does not count what it sells: WooCommerce Analytics is off, or too old.
    case analyticsDisabled
    /// A range of days that ends before it begins, or lies outside of the years 1 to 9999.
    case emptyRange(from: String, to: String)

    public var description: String {
        switch self {
        case .statsModuleDisabled: "the site's statistics are switched off"
        case .noPermission: "the user may not see the statistics of this site"
        case .jetpackNotConnected: "the site is not connected with WordPress.com"
        case .analyticsDisabled: "the store does not count what it sells"
        case .emptyRange(let first, let last): "there is no day from \(first) to \(last)"
        }
    }

    /// Nil when it is something else.
    init?(_ error: NetworkError) {
        guard case .service(let service) = error else { return nil }
        switch service.kind {
        case .statsModuleDisabled: self = .statsModuleDisabled
        case .noStatsPermission, .forbidden: self = .noPermission
        case .jetpackNotConnected: self = .jetpackNotConnected
        case .noRestRoute: self = .analyticsDisabled
        default: return nil
        }
    }
}
