public import Determinism
public import Networking
public import Storage
internal import Synchronization

/// The front of the business logic: a state machine of two states, signed in and not, each with its own stores.
///
/// It may be called from any task. Changes of state happen one after the other. Signing out forgets what
/// belongs to the session; the payment journal is not part of it and stays.
public final class StoresManager: ActionDispatching {
    /// How the states are made, and what is done at the end of a session.
    public struct Configuration: Sendable {
        let authenticated: @Sendable (SignIn, @escaping @Sendable (ServiceError) -> Void) -> AuthenticatedState
        let deauthenticated: @Sendable () -> DeauthenticatedState
        let disconnectReader: @Sendable (Dispatcher) async -> Void
        let forget: @Sendable () throws(StorageError) -> Void
        let deadline: Duration
        let time: any TimeSource

        /// - Parameters:
        ///   - authenticated: makes the state of a session. It is given what is to be called when the credentials
        ///     turn out to be refused, which ends the session.
        ///   - deauthenticated: makes the state without one.
        ///   - disconnectReader: lets go of the card reader. The session's stores still take the actions that it
        ///     dispatches, and nobody else's.
        ///   - forget: deletes what was kept for a session, and leaves the payment journal as it is.
        ///   - deadline: how long a session that ends waits for the reader, and for what its stores have under way.
        ///   - time: what that is counted by.
        public init(
            authenticated:
                @escaping @Sendable (SignIn, @escaping @Sendable (ServiceError) -> Void) -> AuthenticatedState,
            deauthenticated: @escaping @Sendable () -> DeauthenticatedState,
            disconnectReader: @escaping @Sendable (Dispatcher) async -> Void,
            forget: @escaping @Sendable () throws(StorageError) -> Void = {}, deadline: Duration = .seconds(10),
            time: any TimeSource = SystemTimeSource()
        ) {
            (self.authenticated, self.deauthenticated) = (authenticated, deauthenticated)
            (self.disconnectReader, self.forget) = (disconnectReader, forget)
            (self.deadline, self.time) = (deadline, time)
        }
    }

    private struct Current {
        var state: any StoresManagerState = DeauthenticatedState()
        var registrations: [Dispatcher.Registration] = []
        var isEnding = false
        /// Tells one session from the next.
        var number: UInt64 = 0
        var lastEnd: SessionEnd?
        var lastChange: Task<Void, Never>?
    }

    private let configuration: Configuration
    private let dispatcher: Dispatcher
    private let session: SessionManager
    private let current = Mutex(Current())

    /// Begins in the state that the session asks for.
    ///
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)`` when two stores take one type of action.
    public init(
        dispatcher: Dispatcher, session: SessionManager, configuration: Configuration
    ) throws(DispatcherError) {
        (self.configuration, self.dispatcher, self.session) = (configuration, dispatcher, session)
        if let signIn = session.signIn {
            try didEnter(authenticatedState(signIn))
        } else {
            try didEnter(configuration.deauthenticated())
        }
    }

    deinit {
        current.withLock { $0.registrations.forEach(dispatcher.unregister) }
    }

    /// Whether somebody is signed in.
    public var isAuthenticated: Bool { signIn != nil }

    /// Whether somebody is signed in to a site itself, and not by way of WordPress.com.
    public var isAuthenticatedWithoutDotcom: Bool { signIn?.credentials.directSite != nil }

    /// Who is signed in; nil when nobody is.
    public var signIn: SignIn? { current.withLock { $0.state.signIn } == nil ? nil : session.signIn }

    /// How the last session ended; nil when none has.
    public var lastEnd: SessionEnd? { current.withLock { $0.lastEnd } }

    /// Whether somebody is signed in: how it is now, at once, and then every change.
    public func isAuthenticatedUpdates() -> AsyncStream<Bool> { session.updates { signIn, _ in signIn != nil } }

    // MARK: The store that is worked with

    /// The store that is worked with; nil when none is chosen.
    public var siteID: Int64? { session.siteID }

    /// What is known of it; nil until it was looked up.
    public var site: Site? { session.site }

    /// Whether somebody is signed in who has still to choose a store.
    public var needsDefaultStore: Bool { session.signIn.map { $0.siteID == nil } ?? false }

    /// The store that is worked with: which it is now, at once, and then every change.
    public func siteIDUpdates() -> AsyncStream<Int64?> { session.updates { signIn, _ in signIn?.siteID } }

    /// What is known of the store that is worked with: what it is now, at once, and then every change.
    public func siteUpdates() -> AsyncStream<Site?> { session.updates { _, site in site } }

    /// Whether a store has still to be chosen: how it is now, at once, and then every change.
    public func needsDefaultStoreUpdates() -> AsyncStream<Bool> {
        session.updates { signIn, _ in signIn.map { $0.siteID == nil } ?? false }
    }

    /// Chooses the store to work with. It does nothing when nobody is signed in.
    ///
    /// - Throws: ``SessionError/notKept(_:)``
    public func updateDefaultStore(siteID: Int64) throws(SessionError) {
        do throws(SignInKeepingError) { try session.select(siteID: siteID) } catch { throw .notKept(error) }
    }

    /// Chooses the store to work with, and tells what is known of it.
    ///
    /// - Throws: ``SessionError/notKept(_:)``
    public func updateDefaultStore(_ site: Site) throws(SessionError) {
        do throws(SignInKeepingError) { try session.select(siteID: site.id, site: site) } catch {
            throw .notKept(error)
        }
    }

    /// Chooses no store.
    ///
    /// - Throws: ``SessionError/notKept(_:)``
    public func removeDefaultStore() throws(SessionError) {
        do throws(SignInKeepingError) { try session.select(siteID: nil) } catch { throw .notKept(error) }
    }

    // MARK: Actions

    /// Hands an action to the stores of the current state.
    ///
    /// - Throws: ``DispatcherError``; ``DispatcherError/notSignedIn(actionName:)`` for what needs somebody signed in.
    public func dispatch(_ action: any Action) throws(DispatcherError) {
        let (isEnding, isAuthenticated) = current.withLock { ($0.isEnding, $0.state.signIn != nil) }
        guard !isEnding else { throw .signingOut(actionName: action.name) }
        do throws(DispatcherError) {
            try dispatcher.dispatch(action)
        } catch {
            if !isAuthenticated, case .unhandled(let name) = error { throw .notSignedIn(actionName: name) }
            throw error
        }
    }

    // MARK: Changes of state

    /// Signs in. Whoever was signed in before is signed out first, with all that was kept for them; the same user with
    /// another password keeps it.
    ///
    /// - Throws: ``SessionError``; then nobody is signed in.
    public func authenticate(_ signIn: SignIn) async throws(SessionError) {
        try await inTurn { () async throws(SessionError) in
            let before = self.signIn
            guard before != signIn else { return }
            do throws(SessionError) {
                try await self.leave(isForgotten: before.map { !$0.isSameUser(as: signIn) } ?? true, as: .signedOut)
                do throws(DispatcherError) { try self.didEnter(self.authenticatedState(signIn)) } catch {
                    throw .stores(error)
                }
                do throws(SignInKeepingError) { try self.session.save(signIn) } catch { throw .notKept(error) }
            } catch {
                self.current.withLock(\.registrations).forEach(self.dispatcher.unregister)
                self.enterDeauthenticated()
                try? self.session.clear()
                throw error
            }
        }
    }

    /// Signs out: refuses new actions, lets go of the reader, ends what is under way, dispatches the resets, forgets what
    /// was kept and the credentials.
    ///
    /// When nobody is signed in, what an earlier session may have left behind is forgotten.
    ///
    /// - Throws: ``SessionError``: the first thing that failed. The rest is done, and nobody is signed in.
    public func deauthenticate() async throws(SessionError) {
        try await inTurn { () async throws(SessionError) in try await self.endSession(.signedOut) }
    }

    /// Returns when the changes of state that were asked for so far are done.
    public func settle() async { await current.withLock { $0.lastChange }?.value }

    /// Ends a session whose credentials are refused. It is asked for at once, so that ``settle()`` waits for it.
    private func refuse(_ number: UInt64, _ error: ServiceError) {
        _ = enqueue { () async throws(SessionError) in
            guard self.current.withLock({ $0.number }) == number, self.isAuthenticated else { return }
            try await self.endSession(.refused(error))
        }
    }

    private func endSession(_ end: SessionEnd) async throws(SessionError) {
        var failure: SessionError?
        do throws(SessionError) {
            if isAuthenticated { try await leave(isForgotten: true, as: end) } else { try forget() }
        } catch {
            failure = error
        }
        if isAuthenticated { enterDeauthenticated() }
        // The credentials go last: a program that is killed on the way is still signed in, and can sign out again.
        do throws(SignInKeepingError) { try session.clear() } catch { failure = failure ?? .notKept(error) }
        if let failure { throw failure }
    }

    /// Leaves the current state, whatever goes wrong.
    ///
    /// - Throws: the first thing that went wrong.
    private func leave(isForgotten: Bool, as end: SessionEnd) async throws(SessionError) {
        let left = current.withLock { current in
            current.isEnding = true
            return current
        }
        if left.state.signIn != nil {
            await withinDeadline { [configuration, dispatcher] in await configuration.disconnectReader(dispatcher) }
            await withinDeadline { await left.state.end() }
            current.withLock { $0.lastEnd = end }
        }
        var failure: SessionError?
        for action in left.state.actionsOnLeaving {
            do throws(DispatcherError) { try dispatcher.dispatch(action) } catch { failure = failure ?? .stores(error) }
        }
        left.registrations.forEach(dispatcher.unregister)
        current.withLock { $0.registrations = [] }
        if isForgotten {
            do throws(SessionError) { try forget() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func forget() throws(SessionError) {
        do throws(StorageError) { try configuration.forget() } catch { throw .notForgotten(error) }
    }

    /// Waits for some work, but not for ever.
    private func withinDeadline(_ work: @escaping @Sendable () async -> Void) async {
        let end = FirstAnswer<Void, Never>()
        let (time, deadline) = (configuration.time, configuration.deadline)
        let working = Task {
            await work()
            end.give(.success(()))
        }
        let alarm = Task {
            try? await time.sleep(for: deadline)
            end.give(.success(()))
        }
        _ = await withCheckedContinuation { end.wait($0) }
        working.cancel()
        alarm.cancel()
    }

    private func authenticatedState(_ signIn: SignIn) -> AuthenticatedState {
        let number = current.withLock { current in
            current.number += 1
            return current.number
        }
        return configuration.authenticated(signIn) { [weak self] error in self?.refuse(number, error) }
    }

    /// The stores without a session were registered before, and can be again.
    private func enterDeauthenticated() {
        do throws(DispatcherError) { try didEnter(configuration.deauthenticated()) } catch {
            current.withLock { ($0.state, $0.isEnding) = (DeauthenticatedState(), false) }
        }
    }

    private func didEnter(_ state: any StoresManagerState) throws(DispatcherError) {
        var registrations: [Dispatcher.Registration] = []
        do throws(DispatcherError) {
            for store in state.stores { registrations += try store.registerSupportedActions(in: dispatcher) }
        } catch {
            registrations.forEach(dispatcher.unregister)
            throw error
        }
        current.withLock { ($0.state, $0.registrations, $0.isEnding) = (state, registrations, false) }
        for action in state.actionsOnEntering { try dispatcher.dispatch(action) }
    }

    /// Runs a change of state after those that were asked for before it.
    private func inTurn(_ change: @escaping @Sendable () async throws(SessionError) -> Void) async throws(SessionError)
    {
        try await enqueue(change).value.get()
    }

    private func enqueue(
        _ change: @escaping @Sendable () async throws(SessionError) -> Void
    ) -> Task<Result<Void, SessionError>, Never> {
        current.withLock { current in
            let previous = current.lastChange
            let task = Task<Result<Void, SessionError>, Never> {
                await previous?.value
                do throws(SessionError) { return .success(try await change()) } catch { return .failure(error) }
            }
            current.lastChange = Task { _ = await task.value }
            return task
        }
    }
}
