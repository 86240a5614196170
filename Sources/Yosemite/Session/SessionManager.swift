internal import Flux
public import Networking

/// Who is signed in and which store is worked with: in memory, and wherever else it is kept.
public final class SessionManager: Sendable {
    private struct State: Sendable, Equatable {
        var signIn: SignIn?
        var site: Site?
    }

    private let state: StatefulStore<State>
    private let keeper: (any SignInKeeping)?

    /// A session that ends with the process.
    public init(signIn: SignIn? = nil) {
        state = StatefulStore(State(signIn: signIn))
        keeper = nil
    }

    /// A session that goes on where the last process left it.
    ///
    /// - Throws: ``SignInKeepingError``
    public init(keeper: any SignInKeeping) throws(SignInKeepingError) {
        self.keeper = keeper
        state = StatefulStore(State(signIn: try keeper.load()))
    }

    /// Who is signed in; nil when nobody is.
    public var signIn: SignIn? { state.state.signIn }

    /// The store that is worked with; nil when none is chosen.
    public var siteID: Int64? { signIn?.siteID }

    /// What is known of that store; nil until somebody has looked it up.
    public var site: Site? { state.state.site }

    /// What `select` makes of the session: now, and after every change that makes something else of it.
    func updates<Value: Equatable & Sendable>(
        _ select: @escaping @Sendable (SignIn?, Site?) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let subscription = state.observe({ select($0.signIn, $0.site) }, notify: { continuation.yield($0) })
        continuation.onTermination = { _ in subscription.cancel() }
        return stream
    }

    /// Keeps who is signed in. Of the store that is known, what belongs to another one is dropped.
    ///
    /// - Throws: ``SignInKeepingError``; then the session is as it was.
    func save(_ signIn: SignIn) throws(SignInKeepingError) {
        try keeper?.save(signIn)
        state.transaction { state in
            state.signIn = signIn
            if state.site?.id != signIn.siteID { state.site = nil }
        }
    }

    /// Chooses a store, with what is known of it; nil chooses none. Nothing changes when nobody is signed in.
    ///
    /// - Throws: ``SignInKeepingError``; then the session is as it was.
    func select(siteID: Int64?, site: Site? = nil) throws(SignInKeepingError) {
        guard var signIn else { return }
        signIn.siteID = siteID
        if signIn != self.signIn { try keeper?.save(signIn) }
        state.transaction { state in
            state.signIn = signIn
            state.site = site ?? (state.site?.id == siteID ? state.site : nil)
        }
    }

    /// Forgets everything, in memory even when what is kept elsewhere stays.
    ///
    /// - Throws: ``SignInKeepingError``
    func clear() throws(SignInKeepingError) {
        state.transaction { $0 = State() }
        try keeper?.forget()
    }
}
