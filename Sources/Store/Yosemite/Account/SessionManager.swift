import Concurrency
public import Networking
public import Storage

/// The signed-in user and the selected store: in memory, and in a ``SignInStorage``.
public final class SessionManager: Sendable {
    private struct State: Sendable, Equatable {
        var signIn: SignIn?
        var site: Site?
    }

    private let state: StatefulStore<State>
    private let keeper: (any SignInStorage)?

    /// Creates a session that ends with the process.
    public init(signIn: SignIn? = nil) {
        state = StatefulStore(State(signIn: signIn))
        keeper = nil
    }

    /// Creates a session that continues the one of the last process.
    ///
    /// - Throws: ``SignInStorageError``
    public init(keeper: any SignInStorage) throws(SignInStorageError) {
        self.keeper = keeper
        state = StatefulStore(State(signIn: try keeper.load()))
    }

    /// The signed-in user; nil for none.
    public var signIn: SignIn? { state.state.signIn }

    /// The selected store; nil for none.
    public var siteID: Int64? { signIn?.siteID }

    /// The selected store's details; nil until they were loaded.
    public var site: Site? { state.state.site }

    /// The value of `select` for the session: now, and after every change of it.
    func updates<Value: Equatable & Sendable>(
        _ select: @escaping @Sendable (SignIn?, Site?) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let subscription = state.observe({ select($0.signIn, $0.site) }, notify: { continuation.yield($0) })
        continuation.onTermination = { _ in subscription.cancel() }
        return stream
    }

    /// Stores the signed-in user. Details of another store are dropped.
    ///
    /// - Throws: ``SignInStorageError``; the session is then unchanged.
    func save(_ signIn: SignIn) throws(SignInStorageError) {
        try keeper?.save(signIn)
        state.transaction { state in
            state.signIn = signIn
            if state.site?.id != signIn.siteID { state.site = nil }
        }
    }

    /// Selects a store, with its details if known; nil selects none. Nothing changes without a signed-in user.
    ///
    /// - Throws: ``SignInStorageError``; the session is then unchanged.
    func select(siteID: Int64?, site: Site? = nil) throws(SignInStorageError) {
        guard var signIn else { return }
        signIn.siteID = siteID
        if signIn != self.signIn { try keeper?.save(signIn) }
        state.transaction { state in
            state.signIn = signIn
            state.site = site ?? (state.site?.id == siteID ? state.site : nil)
        }
    }

    /// Deletes the session, in memory even if the stored copy could not be deleted.
    ///
    /// - Throws: ``SignInStorageError``
    func clear() throws(SignInStorageError) {
        state.transaction { $0 = State() }
        try keeper?.forget()
    }
}

/// Stores a session across processes, secrets included.
public protocol SignInStorage: Sendable {
    /// Returns the stored session; nil for none.
    ///
    /// - Throws: ``SignInStorageError``
    func load() throws(SignInStorageError) -> SignIn?

    /// Replaces the stored session, all of it or nothing.
    ///
    /// - Throws: ``SignInStorageError``
    func save(_ signIn: SignIn) throws(SignInStorageError)

    /// Deletes the stored session, if there is one.
    ///
    /// - Throws: ``SignInStorageError``
    func forget() throws(SignInStorageError)
}

/// The reason why a session could not be stored or read. It contains no secret.
public struct SignInStorageError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Takes a sentence for people, without secrets.
    public init(_ description: String) { self.description = description }
}

/// The reason why a session did not begin or end as it should. After ending, no user is signed in all the same.
public enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Two stores have the same type of action, or a reset has no store: a bug in the program.
    case stores(DispatcherError)
    /// Data of the ended session is still in the database.
    case notForgotten(StorageError)
    /// The signed-in user could not be stored or deleted.
    case notKept(SignInStorageError)

    public var description: String {
        switch self {
        case .stores(let error): error.description
        case .notForgotten(let error): "the data of the store could not be deleted: \(error)"
        case .notKept(let error): error.description
        }
    }
}

/// The way a session ended.
public enum SessionEnd: Hashable, Sendable {
    /// The user signed out.
    case signedOut
    /// The site or WordPress.com no longer accepts the credentials, and they could not be renewed.
    case refused(ServiceError)
}
