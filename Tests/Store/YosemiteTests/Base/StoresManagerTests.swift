import Determinism
import Money
import Networking
import Storage
import Synchronization
import Testing

@testable import Yosemite

@Suite struct StoresManagerTests {
    private let anna = SignIn(
        credentials: .wordPressDotcom(username: "anna", token: Secret("t0k3n"), site: nil), siteID: 7)
    private let ben = SignIn(
        credentials: .wordPressDotcom(username: "ben", token: Secret("0th3r"), site: nil), siteID: 8)

    /// Everything that happens, in order.
    private let log = Log<String>()
    private let dispatcher = Dispatcher(time: VirtualTimeSource())

    private func configuration(
        disconnect: @escaping @Sendable (Dispatcher) async -> Void = { _ in }
    ) -> StoresManager.Configuration {
        let log = log
        return StoresManager.Configuration(
            authenticated: { signIn, _ in
                AuthenticatedState(
                    signIn: signIn,
                    stores: [
                        ClosureStore(ParcelAction.self) { log.add("\(signIn.credentials.username): \($0.name)") },
                        ClosureStore(ReaderAction.self) { log.add("\(signIn.credentials.username): \($0.name)") },
                    ],
                    actionsOnEntering: [ParcelAction.note(id: 1, text: "")],
                    resets: [ParcelAction.forget])
            },
            deauthenticated: { DeauthenticatedState() },
            disconnectReader: { dispatcher in
                log.add("disconnect")
                try? dispatcher.dispatch(ReaderAction.reset)
                await disconnect(dispatcher)
            })
    }

    @Test func `stored credentials start a session`() throws {
        let session = SessionManager(signIn: anna)
        let manager = try StoresManager(dispatcher: dispatcher, session: session, configuration: configuration())
        #expect(manager.isAuthenticated)
        #expect(log.entries == ["anna: ParcelAction.note"])
    }

    @Test func `without a session, actions that need one are errors`() throws {
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(), configuration: configuration())
        #expect(!manager.isAuthenticated)
        #expect(throws: DispatcherError.notSignedIn(actionName: "ParcelAction.forget")) {
            try manager.dispatch(ParcelAction.forget)
        }
    }

    @Test func `signing out disconnects the reader, resets, and deletes the credentials, in this order`() async throws {
        let session = SessionManager()
        let manager = try StoresManager(dispatcher: dispatcher, session: session, configuration: configuration())
        try await manager.authenticate(anna)
        #expect(session.signIn == anna)
        try manager.dispatch(ReaderAction.reset)
        try await manager.deauthenticate()
        #expect(session.signIn == nil)
        #expect(!manager.isAuthenticated)
        #expect(
            log.entries == [
                "anna: ParcelAction.note", "anna: ReaderAction.reset", "disconnect", "anna: ReaderAction.reset",
                "anna: ParcelAction.forget",
            ])
        #expect(throws: DispatcherError.notSignedIn(actionName: "ReaderAction.reset")) {
            try manager.dispatch(ReaderAction.reset)
        }
        try await manager.deauthenticate()
        #expect(log.entries.count == 5)
    }

    @Test func `signing in as another user ends the first session`() async throws {
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(signIn: anna), configuration: configuration())
        try await manager.authenticate(ben)
        try await manager.authenticate(ben)
        #expect(manager.signIn == ben)
        try manager.dispatch(ParcelAction.forget)
        #expect(
            log.entries == [
                "anna: ParcelAction.note", "disconnect", "anna: ReaderAction.reset", "anna: ParcelAction.forget",
                "ben: ParcelAction.note", "ben: ParcelAction.forget",
            ])
    }

    @Test func `a session that is ending accepts no new actions`() async throws {
        let refused = Log<DispatcherError>()
        let box = ManagerBox()
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(signIn: anna),
            configuration: configuration { _ in
                do throws(DispatcherError) { try box.manager?.dispatch(ParcelAction.forget) } catch {
                    refused.add(error)
                }
            })
        box.set(manager)
        try await manager.deauthenticate()
        #expect(refused.entries == [.signingOut(actionName: "ParcelAction.forget")])
        #expect(log.entries.filter { $0 == "anna: ParcelAction.forget" }.count == 1)
    }

    @Test func `changes of state from many tasks happen one after the other`() async throws {
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(), configuration: configuration())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    if number % 3 == 0 {
                        try await manager.deauthenticate()
                    } else {
                        try await manager.authenticate(number % 2 == 0 ? anna : ben)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await manager.deauthenticate()
        #expect(!manager.isAuthenticated)
        // Every session that began also ended, before the next one began.
        let sessions = log.entries.filter { $0.hasSuffix("note") || $0.hasSuffix("forget") }
        #expect(sessions.count % 2 == 0)
        for index in stride(from: 0, to: sessions.count - 1, by: 2) {
            #expect(sessions[index].hasSuffix("note") && sessions[index + 1].hasSuffix("forget"))
            #expect(sessions[index].prefix(3) == sessions[index + 1].prefix(3))
        }
    }

    @Test func `an observer gets the current state at once, and then every change`() async throws {
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(), configuration: configuration())
        var updates = manager.isAuthenticatedUpdates().makeAsyncIterator()
        #expect(await updates.next() == false)
        try await manager.authenticate(anna)
        try await manager.deauthenticate()
        try await manager.authenticate(ben)
        #expect(await updates.next() == true)
        #expect(await updates.next() == false)
        #expect(await updates.next() == true)
        var late = manager.isAuthenticatedUpdates().makeAsyncIterator()
        #expect(await late.next() == true)
    }

    @Test func `a state with conflicting stores is not entered`() async throws {
        let log = log
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(),
            configuration: StoresManager.Configuration(
                authenticated: { signIn, _ in
                    AuthenticatedState(
                        signIn: signIn,
                        stores: [ClosureStore(ParcelAction.self), ClosureStore(ParcelAction.self)])
                },
                deauthenticated: {
                    DeauthenticatedState(stores: [ClosureStore(ReaderAction.self) { log.add("still: \($0.name)") }])
                },
                disconnectReader: { _ in }))
        await #expect(throws: SessionError.stores(.alreadyRegistered(actionType: "ParcelAction"))) {
            try await manager.authenticate(anna)
        }
        #expect(!manager.isAuthenticated)
        try manager.dispatch(ReaderAction.reset)
        #expect(log.entries == ["still: ReaderAction.reset"])
    }

    @Test func `signing out keeps the payments`() async throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let store = ClosureStore(ParcelAction.self) { action in
            guard case .note = action, let amount = try? Money("12.50", currency: Currency(code: "USD")) else { return }
            _ = try? journal.begin(
                siteID: 7, orderID: nil, amount: amount, hostName: "simulated", at: Timestamp(milliseconds: 1))
        }
        let manager = try StoresManager(
            dispatcher: dispatcher, session: SessionManager(signIn: anna),
            configuration: StoresManager.Configuration(
                authenticated: { signIn, _ in
                    AuthenticatedState(signIn: signIn, stores: [store], resets: [ParcelAction.forget])
                },
                deauthenticated: { DeauthenticatedState() },
                disconnectReader: { _ in }))
        try manager.dispatch(ParcelAction.note(id: 1, text: ""))
        try await manager.deauthenticate()
        #expect(try journal.payments().count == 1)
    }

    @Test func `credentials print without their token`() {
        var dumped = ""
        dump(anna, to: &dumped)
        for text in ["\(anna)", String(reflecting: anna), dumped] { #expect(!text.contains("t0k3n"), "\(text)") }
    }
}

/// Lets a closure reach a manager that is made after it.
private final class ManagerBox: Sendable {
    private let stored = Mutex<StoresManager?>(nil)
    var manager: StoresManager? { stored.withLock { $0 } }
    func set(_ manager: StoresManager) { stored.withLock { $0 = manager } }
}
