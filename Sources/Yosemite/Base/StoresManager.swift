internal import Synchronization

/// The front of the business logic: a state machine of two states, signed in and not, each with its own stores.
///
/// It may be called from any task. Changes of state happen one after the other. Signing out forgets what
/// belongs to the session; the payment journal is not part of it and stays.
public final class StoresManager: ActionDispatching {
    /// How the states are made, and what is done to the reader at the end of a session.
    public struct Configuration: Sendable {
        let authenticated: @Sendable (SessionCredentials) -> AuthenticatedState
        let deauthenticated: @Sendable () -> DeauthenticatedState
        let disconnectReader: @Sendable (Dispatcher) async -> Void

        /// - Parameters:
        ///   - authenticated: makes the state of a session.
        ///   - deauthenticated: makes the state without one.
        ///   - disconnectReader: lets go of the card reader; it has to have a deadline. The session's stores
        ///     still take the actions that it dispatches, and nobody else's.
        public init(
            authenticated: @escaping @Sendable (SessionCredentials) -> AuthenticatedState,
            deauthenticated: @escaping @Sendable () -> DeauthenticatedState,
            disconnectReader: @escaping @Sendable (Dispatcher) async -> Void
        ) {
            (self.authenticated, self.deauthenticated) = (authenticated, deauthenticated)
            self.disconnectReader = disconnectReader
        }
    }

    private struct Current {
        var state: any StoresManagerState
        var registrations: [Dispatcher.Registration] = []
        var isSigningOut = false
        var lastChange: Task<Void, Never>?
        var listeners: [UInt64: AsyncStream<Bool>.Continuation] = [:]
        var lastListener: UInt64 = 0
    }

    private let configuration: Configuration
    private let dispatcher: Dispatcher
    private let session: SessionManager
    private let current: Mutex<Current>

    /// Begins in the state that the session's stored credentials ask for.
    ///
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)`` when two stores take one type of action.
    public init(
        dispatcher: Dispatcher, session: SessionManager, configuration: Configuration
    ) throws(DispatcherError) {
        (self.configuration, self.dispatcher, self.session) = (configuration, dispatcher, session)
        let state: any StoresManagerState =
            if let credentials = session.credentials {
                configuration.authenticated(credentials)
            } else {
                configuration.deauthenticated()
            }
        current = Mutex(Current(state: state))
        try didEnter(state)
    }

    deinit {
        current.withLock { current in
            current.registrations.forEach(dispatcher.unregister)
            current.listeners.values.forEach { $0.finish() }
        }
    }

    /// Whether somebody is signed in.
    public var isAuthenticated: Bool { credentials != nil }

    /// Who is signed in; nil when nobody is.
    public var credentials: SessionCredentials? { current.withLock { $0.state.credentials } }

    /// Whether somebody is signed in: how it is now, at once, and then every change.
    public func isAuthenticatedUpdates() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let listener = current.withLock { current in
            current.lastListener += 1
            current.listeners[current.lastListener] = continuation
            continuation.yield(current.state.credentials != nil)
            return current.lastListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.current.withLock { $0.listeners.removeValue(forKey: listener) }
        }
        return stream
    }

    /// Hands an action to the stores of the current state.
    public func dispatch(_ action: any Action) throws(DispatcherError) {
        guard !current.withLock({ $0.isSigningOut }) else { throw .signingOut(actionName: action.name) }
        try dispatcher.dispatch(action)
    }

    /// Signs in. Whoever was signed in before is signed out first, unless it is the same.
    ///
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)``; then nobody is signed in.
    public func authenticate(_ credentials: SessionCredentials) async throws(DispatcherError) {
        try await inTurn { () async throws(DispatcherError) in
            guard self.credentials != credentials else { return }
            await self.leaveSession()
            let failure = self.willLeave()
            do throws(DispatcherError) {
                try self.didEnter(self.configuration.authenticated(credentials))
                self.session.save(credentials)
            } catch {
                _ = self.willLeave()
                try self.didEnter(self.configuration.deauthenticated())
                throw error
            }
            if let failure { throw failure }
        }
    }

    /// Signs out: refuses new actions, lets go of the reader, dispatches the resets, forgets the credentials.
    /// It does nothing when nobody is signed in.
    public func deauthenticate() async throws(DispatcherError) {
        try await inTurn { () async throws(DispatcherError) in
            guard self.isAuthenticated else { return }
            await self.leaveSession()
            let failure = self.willLeave()
            try self.didEnter(self.configuration.deauthenticated())
            if let failure { throw failure }
        }
    }

    private func leaveSession() async {
        guard isAuthenticated else { return }
        current.withLock { $0.isSigningOut = true }
        await configuration.disconnectReader(dispatcher)
        session.clear()
    }

    /// - Returns: why the first of the resets was not accepted. The state is left all the same.
    private func willLeave() -> DispatcherError? {
        let left = current.withLock { $0 }
        var failure: DispatcherError?
        for action in left.state.actionsOnLeaving {
            do throws(DispatcherError) { try dispatcher.dispatch(action) } catch { failure = failure ?? error }
        }
        left.registrations.forEach(dispatcher.unregister)
        current.withLock { $0.registrations = [] }
        return failure
    }

    private func didEnter(_ state: any StoresManagerState) throws(DispatcherError) {
        var registrations: [Dispatcher.Registration] = []
        do throws(DispatcherError) {
            for store in state.stores { registrations += try store.registerSupportedActions(in: dispatcher) }
        } catch {
            registrations.forEach(dispatcher.unregister)
            throw error
        }
        current.withLock { current in
            let wasAuthenticated = current.state.credentials != nil
            (current.state, current.registrations, current.isSigningOut) = (state, registrations, false)
            let isAuthenticated = state.credentials != nil
            if isAuthenticated != wasAuthenticated {
                for listener in current.listeners.values { listener.yield(isAuthenticated) }
            }
        }
        for action in state.actionsOnEntering { try dispatcher.dispatch(action) }
    }

    /// Runs a change of state after those that were asked for before it.
    private func inTurn(
        _ change: @escaping @Sendable () async throws(DispatcherError) -> Void
    ) async throws(DispatcherError) {
        let task = current.withLock { current in
            let previous = current.lastChange
            let task = Task<Result<Void, DispatcherError>, Never> {
                await previous?.value
                do throws(DispatcherError) {
                    return .success(try await change())
                } catch {
                    return .failure(error)
                }
            }
            current.lastChange = Task { _ = await task.value }
            return task
        }
        try await task.value.get()
    }
}
