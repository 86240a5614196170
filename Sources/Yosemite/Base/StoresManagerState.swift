public import Networking

/// One of the states of the ``StoresManager``: which stores there are, and what happens on the way in and out.
public protocol StoresManagerState: Sendable {
    /// Who is signed in; nil when nobody is.
    var signIn: SignIn? { get }
    /// The stores that take actions in this state.
    var stores: [any Store] { get }
    /// Dispatched, in order, once the stores are registered.
    var actionsOnEntering: [any Action] { get }
    /// Dispatched, in order, before the stores are unregistered.
    var actionsOnLeaving: [any Action] { get }
    /// Ends what the stores have under way.
    func end() async
}

/// Somebody is signed in.
public struct AuthenticatedState: StoresManagerState {
    public let signIn: SignIn?
    public let stores: [any Store]
    public let actionsOnEntering: [any Action]
    public let actionsOnLeaving: [any Action]
    private let session: SiteSession?

    /// - Parameters:
    ///   - signIn: who is signed in.
    ///   - session: what the stores of the site work with; nil when there are none.
    ///   - stores: the stores that need a session, and those that do not.
    ///   - actionsOnEntering: what a session begins with.
    ///   - resets: forget what belongs to the session, such as settings and personal data.
    public init(
        signIn: SignIn, session: SiteSession? = nil, stores: [any Store], actionsOnEntering: [any Action] = [],
        resets: [any Action] = []
    ) {
        (self.signIn, self.session, self.stores) = (signIn, session, stores)
        (self.actionsOnEntering, actionsOnLeaving) = (actionsOnEntering, resets)
    }

    public func end() async { await session?.end() }
}

/// Nobody is signed in: only what needs no session is there.
public struct DeauthenticatedState: StoresManagerState {
    public let stores: [any Store]
    public var signIn: SignIn? { nil }
    public var actionsOnEntering: [any Action] { [] }
    public var actionsOnLeaving: [any Action] { [] }

    /// - Parameter stores: the stores that need no session.
    public init(stores: [any Store] = []) { self.stores = stores }

    public func end() async {}
}
