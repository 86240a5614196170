import Concurrency
public import Determinism
public import Networking
public import Storage
import Synchronization

/// The entry to the business logic: a state machine of two states, signed in and signed out, each with its own stores.
///
/// It can be called from any task. Changes of state happen one after the other. Signing out deletes the data of the
/// session. The payment journal is not part of it and stays.
public final class StoresManager: ActionDispatching {
    /// Creates the states, and ends a session.
    public struct Configuration: Sendable {
        let authenticated: @Sendable (SignIn, @escaping @Sendable (ServiceError) -> Void) -> AuthenticatedState
        let deauthenticated: @Sendable () -> DeauthenticatedState
        let disconnectReader: @Sendable (Dispatcher) async -> Void
        let forget: @Sendable () throws(StorageError) -> Void
        let deadline: Duration
        let time: any TimeSource

        /// - Parameters:
        ///   - authenticated: creates the state of a session. Its closure parameter ends the session, and is to be
        ///     called when the credentials are refused.
        ///   - deauthenticated: creates the state without a session.
        ///   - disconnectReader: disconnects the card reader. The session's stores still accept the actions that it
        ///     dispatches, and no others.
        ///   - forget: deletes the data of a session, without the payment journal.
        ///   - deadline: how long the end of a session waits for the reader and for running work.
        ///   - time: the clock for the deadline.
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
        /// The number of the session.
        var number: UInt64 = 0
        var lastEnd: SessionEnd?
        var lastChange: Task<Void, Never>?
    }

    private let configuration: Configuration
    private let dispatcher: Dispatcher
    private let session: SessionManager
    private let current = Mutex(Current())

    /// Starts in the state of the session.
    ///
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)`` when two stores have the same type of action.
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

    /// Whether a user is signed in.
    public var isAuthenticated: Bool { signIn != nil }

    /// Whether a user is signed in to a site directly, without WordPress.com.
    public var isAuthenticatedWithoutDotcom: Bool { signIn?.credentials.directSite != nil }

    /// The signed-in user; nil for none.
    public var signIn: SignIn? { current.withLock { $0.state.signIn } == nil ? nil : session.signIn }

    /// The way the last session ended; nil before the first end.
    public var lastEnd: SessionEnd? { current.withLock { $0.lastEnd } }

    /// Whether a user is signed in: the current value at once, and then every change.
    public func isAuthenticatedUpdates() -> AsyncStream<Bool> { session.updates { signIn, _ in signIn != nil } }

    // MARK: The store that is worked with

    /// The selected store; nil for none.
    public var siteID: Int64? { session.siteID }

    /// The selected store's details; nil until they were loaded.
    public var site: Site? { session.site }

    /// Whether the signed-in user has not selected a store yet.
    public var needsDefaultStore: Bool { session.signIn.map { $0.siteID == nil } ?? false }

    /// The selected store: the current value at once, and then every change.
    public func siteIDUpdates() -> AsyncStream<Int64?> { session.updates { signIn, _ in signIn?.siteID } }

    /// The selected store's details: the current value at once, and then every change.
    public func siteUpdates() -> AsyncStream<Site?> { session.updates { _, site in site } }

    /// Whether a store has to be selected: the current value at once, and then every change.
    public func needsDefaultStoreUpdates() -> AsyncStream<Bool> {
        session.updates { signIn, _ in signIn.map { $0.siteID == nil } ?? false }
    }

    /// Selects a store. Without a signed-in user it does nothing.
    ///
    /// - Throws: ``SessionError/notKept(_:)``
    public func updateDefaultStore(siteID: Int64) throws(SessionError) {
        do throws(SignInStorageError) { try session.select(siteID: siteID) } catch { throw .notKept(error) }
    }

    /// Selects a store with its details.
    ///
    /// - Throws: ``SessionError/notKept(_:)``
    public func updateDefaultStore(_ site: Site) throws(SessionError) {
        do throws(SignInStorageError) { try session.select(siteID: site.id, site: site) } catch {
            throw .notKept(error)
        }
    }

    /// Selects no store.
    ///
    /// - Throws: ``SessionError/notKept(_:)``
    public func removeDefaultStore() throws(SessionError) {
        do throws(SignInStorageError) { try session.select(siteID: nil) } catch { throw .notKept(error) }
    }

    // MARK: Actions

    /// Hands an action to the stores of the current state.
    ///
    /// - Throws: ``DispatcherError``; ``DispatcherError/notSignedIn(actionName:)`` for actions that need a signed-in
    ///   user.
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

    /// Signs a user in. Another user is signed out first, and the data of that session deleted; the same user with new
    /// credentials keeps the data.
    ///
    /// - Throws: ``SessionError``; no user is signed in then.
    public func authenticate(_ signIn: SignIn) async throws(SessionError) {
        try await inTurn { () async throws(SessionError) in
            let before = self.signIn
            guard before != signIn else { return }
            do throws(SessionError) {
                try await self.leave(isForgotten: before.map { !$0.isSameUser(as: signIn) } ?? true, as: .signedOut)
                do throws(DispatcherError) { try self.didEnter(self.authenticatedState(signIn)) } catch {
                    throw .stores(error)
                }
                do throws(SignInStorageError) { try self.session.save(signIn) } catch { throw .notKept(error) }
            } catch {
                self.current.withLock(\.registrations).forEach(self.dispatcher.unregister)
                self.enterDeauthenticated()
                try? self.session.clear()
                throw error
            }
        }
    }

    /// Signs out: refuses new actions, disconnects the reader, cancels running work, dispatches the resets, and deletes
    /// the session's data and the credentials.
    ///
    /// Without a signed-in user it deletes what an earlier session may have left.
    ///
    /// - Throws: ``SessionError``: the first failure. The other steps are done, and no user is signed in.
    public func deauthenticate() async throws(SessionError) {
        try await inTurn { () async throws(SessionError) in try await self.endSession(.signedOut) }
    }

    /// Waits for the changes of state requested so far.
    public func waitUntilIdle() async { await current.withLock { $0.lastChange }?.value }

    /// Ends a session whose credentials are refused. The change is requested at once, so that
    /// ``waitUntilIdle()`` waits for it.
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
        // The credentials are deleted last: a program that is killed before that can sign out again.
        do throws(SignInStorageError) { try session.clear() } catch { failure = failure ?? .notKept(error) }
        if let failure { throw failure }
    }

    /// Leaves the current state even if steps fail.
    ///
    /// - Throws: the first failure.
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

    /// Waits for some work, up to the deadline.
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

    /// The stores without a session were registered before, so registering them again succeeds.
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

    /// Runs a change of state after those requested before it.
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

/// A state of the ``StoresManager``: its stores, and the actions on entering and leaving it.
public protocol StoresManagerState: Sendable {
    /// The signed-in user; nil for none.
    var signIn: SignIn? { get }
    /// The stores that accept actions in this state.
    var stores: [any Store] { get }
    /// Dispatched, in order, once the stores are registered.
    var actionsOnEntering: [any Action] { get }
    /// Dispatched, in order, before the stores are unregistered.
    var actionsOnLeaving: [any Action] { get }
    /// Cancels the running work of the stores.
    func end() async
}

/// The state with a signed-in user.
public struct AuthenticatedState: StoresManagerState {
    public let signIn: SignIn?
    public let stores: [any Store]
    public let actionsOnEntering: [any Action]
    public let actionsOnLeaving: [any Action]
    private let session: SiteSession?

    /// - Parameters:
    ///   - signIn: the signed-in user.
    ///   - session: the dependencies of the stores of the site; nil for none.
    ///   - stores: the stores that need a session, and those that don't.
    ///   - actionsOnEntering: the first actions of a session.
    ///   - resets: the actions that delete the session's data, such as settings and personal data.
    public init(
        signIn: SignIn, session: SiteSession? = nil, stores: [any Store], actionsOnEntering: [any Action] = [],
        resets: [any Action] = []
    ) {
        (self.signIn, self.session, self.stores) = (signIn, session, stores)
        (self.actionsOnEntering, actionsOnLeaving) = (actionsOnEntering, resets)
    }

    public func end() async { await session?.end() }
}

/// The state without a user: only the stores that need no session.
public struct DeauthenticatedState: StoresManagerState {
    public let stores: [any Store]
    public var signIn: SignIn? { nil }
    public var actionsOnEntering: [any Action] { [] }
    public var actionsOnLeaving: [any Action] { [] }

    /// - Parameter stores: the stores that need no session.
    public init(stores: [any Store] = []) { self.stores = stores }

    public func end() async {}
}

extension StoresManager {
    /// Fetches the account and its settings, the sites, and the plan of the selected site. Without WordPress.com it
    /// fetches only the site. Without a signed-in user it does nothing.
    ///
    /// - Returns: the failures. Everything else was stored.
    public func synchronizeEntities() async -> [StoreError] {
        guard isAuthenticated else { return [] }
        let account = isAuthenticatedWithoutDotcom ? [] : await synchronizeAccount()
        let selected = siteID
        let list: Result<SynchronizedSites, StoreError> = await fetch {
            AccountAction.synchronizeSites(selectedSiteID: selected, onCompletion: $0)
        }
        let sites = try? list.get()
        guard let selected, let site = sites?.sites.first(where: { $0.id == selected }) else {
            return account + Self.failures(of: list)
        }
        // The selection is unchanged, so nothing is written that could fail.
        try? updateDefaultStore(site)
        guard !isAuthenticatedWithoutDotcom else { return account }
        let plan: Result<Site, StoreError> = await fetch {
            AccountAction.synchronizeSitePlan(siteID: selected, onCompletion: $0)
        }
        return account + Self.failures(of: plan)
    }

    private func synchronizeAccount() async -> [StoreError] {
        let result: Result<Account, StoreError> = await fetch { AccountAction.synchronizeAccount(onCompletion: $0) }
        guard case .success(let account) = result else { return Self.failures(of: result) }
        let settings: Result<AccountSettings, StoreError> = await fetch {
            AccountAction.synchronizeAccountSettings(userID: account.id, onCompletion: $0)
        }
        return Self.failures(of: settings)
    }

    private static func failures<Value>(of result: Result<Value, StoreError>) -> [StoreError] {
        if case .failure(let error) = result { [error] } else { [] }
    }

    private func fetch<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> AccountAction
    ) async -> Result<Value, StoreError> {
        do throws(ActionFailure<StoreError>) {
            return .success(try await perform { makeAction($0) })
        } catch {
            switch error {
            case .failed(let error): return .failure(error)
            // The session ended meanwhile.
            case .notDispatched, .neverCompleted: return .failure(.notSignedIn)
            }
        }
    }
}
