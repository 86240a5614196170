public import Files
public import Networking
public import Storage

/// Why a store of a site could not do what it was asked to. Nothing is half saved.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The site could not be asked, or refused; ``NetworkError/mayHaveTakenEffect`` says whether it may have done it.
    case network(NetworkError)
    /// The answer could not be kept, or what is kept could not be read.
    case storage(StorageError)
    /// The settings cannot be read or kept.
    case settings(FileStorageError)
    /// There is no such thing, here or at the site.
    case notFound(entity: String, id: String)
    /// A gift card does not pay for the order.
    case giftCard(GiftCardError)
    /// Whoever waited gave up.
    case cancelled
    /// Nobody is signed in to a site.
    case notSignedIn
    /// There are no statistics to be had.
    case statistics(SiteStatsStoreError)

    public var description: String {
        switch self {
        case .network(let error): error.description
        case .storage(let error): error.description
        case .settings(let error): error.description
        case .notFound(let entity, let id): "there is no \(entity) \(id)"
        case .giftCard(let error): error.description
        case .cancelled: "cancelled"
        case .notSignedIn: "nobody is signed in: sign in with 'cardpresent login'"
        case .statistics(let error): error.description
        }
    }

    /// What a failure of the database, or of what was done in it, means here.
    init(_ error: any Error, path: String?) {
        self = error as? StoreError ?? .storage(StorageError(error, path: path ?? ":memory:"))
    }
}
