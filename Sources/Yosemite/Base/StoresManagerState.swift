/// One of the states of the ``StoresManager``: which stores there are, and what happens on the way in and out.
public protocol StoresManagerState: Sendable {
    /// Who is signed in; nil when nobody is.
    var credentials: SessionCredentials? { get }
    /// The stores that take actions in this state.
    var stores: [any Store] { get }
    /// Dispatched, in order, once the stores are registered.
    var actionsOnEntering: [any Action] { get }
    /// Dispatched, in order, before the stores are unregistered.
    var actionsOnLeaving: [any Action] { get }
}

/// Somebody is signed in.
public struct AuthenticatedState: StoresManagerState {
    public let credentials: SessionCredentials?
    public let stores: [any Store]
    public let actionsOnEntering: [any Action]
    public let actionsOnLeaving: [any Action]

    /// - Parameters:
    ///   - credentials: who is signed in.
    ///   - stores: the stores that need a session, and those that do not.
    ///   - actionsOnEntering: what a session begins with.
    ///   - resets: forget what belongs to the session, such as settings and personal data.
    public init(
        credentials: SessionCredentials, stores: [any Store], actionsOnEntering: [any Action] = [],
        resets: [any Action] = []
    ) {
        (self.credentials, self.stores) = (credentials, stores)
        (self.actionsOnEntering, actionsOnLeaving) = (actionsOnEntering, resets)
    }
}

/// Nobody is signed in: only what needs no session is there.
public struct DeauthenticatedState: StoresManagerState {
    public let stores: [any Store]
    public var credentials: SessionCredentials? { nil }
    public var actionsOnEntering: [any Action] { [] }
    public var actionsOnLeaving: [any Action] { [] }

    /// - Parameter stores: the stores that need no session.
    public init(stores: [any Store] = []) { self.stores = stores }
}
