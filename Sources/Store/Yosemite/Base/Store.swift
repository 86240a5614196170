public import Files
public import Networking
public import Storage

/// The business logic of one area. It carries out the actions of that area; nothing else calls it.
///
/// Its dependencies (storage, readers, hosts, the dispatcher for its own actions) are passed to its initializer.
public protocol Store: ActionsProcessor {
    /// Registers the store for its actions. The default fits a store with one type of action; a store that owns other
    /// processors registers them too.
    ///
    /// - Returns: the registrations to end with the store's session.
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)``
    func registerSupportedActions(in dispatcher: Dispatcher) throws(DispatcherError) -> [Dispatcher.Registration]
}

extension Store {
    public func registerSupportedActions(
        in dispatcher: Dispatcher
    ) throws(DispatcherError) -> [Dispatcher.Registration] {
        [try dispatcher.register(self)]
    }
}

/// The reason why an action on a site failed. Nothing was saved in part.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request failed, or the site refused it. ``NetworkError/mayHaveTakenEffect`` says whether the site may have
    /// carried it out.
    case network(NetworkError)
    /// The database could not be read or written.
    case storage(StorageError)
    /// The settings could not be read or written.
    case settings(FileStorageError)
    /// The object exists neither here nor at the site.
    case notFound(entity: String, id: String)
    /// The gift card does not pay for the order.
    case giftCard(GiftCardError)
    /// The site refused an order, and what it has saved of it could not be deleted.
    case orderLeft(orderID: Int64, because: String)
    /// The caller canceled the action.
    case canceled
    /// No user is signed in to a site.
    case notSignedIn
    /// The site has no statistics.
    case statistics(SiteStatsStoreError)

    public var description: String {
        switch self {
        case .network(let error): error.description
        case .storage(let error): error.description
        case .settings(let error): error.description
        case .notFound(let entity, let id): "there is no \(entity) \(id)"
        case .giftCard(let error): error.description
        case .orderLeft(let orderID, let reason): "\(reason); the store keeps the unfinished order \(orderID)"
        case .canceled: "canceled"
        case .notSignedIn: "not signed in: sign in with 'cardpresent login'"
        case .statistics(let error): error.description
        }
    }

    /// Converts an error of the database, or of an operation in it.
    init(_ error: any Error, path: String?) {
        self = error as? StoreError ?? .storage(StorageError(error, path: path ?? ":memory:"))
    }
}
