import Concurrency
import Determinism
import Networking
import Storage
import Synchronization
import TestDoubles
import Testing

@testable import Yosemite

@Suite struct SessionEndTests {
    private let site: WebAddress
    private let anna: SignIn

    init() throws {
        site = try WebAddress("https://shop.example/")
        anna = .direct("anna", site: site)
    }

    private static let index = #"{"name":"Corner Shop","namespaces":["wc/v3"],"timezone_string":"","gmt_offset":"1"}"#

    @Test func `a rejected password ends the session once, deletes its data, and reports the reason`() async throws {
        let session = try TestSession(anna)
        session.network.simulate("/", json: Self.index)
        let selected = session.manager.siteID
        let list: SynchronizedSites = try await session.value {
            AccountAction.synchronizeSites(selectedSiteID: selected, onCompletion: $0)
        }
        #expect(list.sites.map(\.name) == ["Corner Shop"])
        #expect(try session.storage.read { try $0.count(Site.self) } == 1)

        var updates = session.manager.isAuthenticatedUpdates().makeAsyncIterator()
        #expect(await updates.next() == true)
        session.network.removeAllAnswers()
        session.network.simulate(
            "/", json: #"{"code":"incorrect_password","message":"No.","data":{"status":401}}"#, status: 401)
        await withTaskGroup(of: Void.self) { group in
            for number in Int64(0)..<5 {
                group.addTask {
                    await #expect(throws: (any Error).self) {
                        _ =
                            try await session.value {
                                AccountAction.synchronizeSites(selectedSiteID: number, onCompletion: $0)
                            } as SynchronizedSites
                    }
                }
            }
        }
        await session.manager.waitUntilIdle()
        #expect(!session.manager.isAuthenticated)
        #expect(await updates.next() == false)
        guard case .refused(let reason) = session.manager.lastEnd else {
            Issue.record("it ended otherwise: \(String(describing: session.manager.lastEnd))")
            return
        }
        #expect(reason.code == "incorrect_password")
        #expect(session.keeper.kept == nil)
        #expect(try session.storage.read { try $0.count(Site.self) } == 0)
        await #expect(
            throws: ActionFailure<StoreError>.notDispatched(.notSignedIn(actionName: "AccountAction.synchronizeSites"))
        ) {
            _ =
                try await session.value {
                    AccountAction.synchronizeSites(selectedSiteID: nil, onCompletion: $0)
                } as SynchronizedSites
        }
    }

    @Test(arguments: [
        #"{"error":"invalid_token","message":"The OAuth2 token is invalid."}"#,
        #"{"error":"unauthorized","message":"The OAuth2 token is invalid."}"#,
    ])
    func `an expired token ends the session`(answer: String) async throws {
        let session = try TestSession(.dotcom("anna"))
        session.network.simulate("/me", json: answer, status: 400)
        await #expect(throws: (any Error).self) {
            _ = try await session.value { AccountAction.synchronizeAccount(onCompletion: $0) } as Account
        }
        await session.manager.waitUntilIdle()
        #expect(!session.manager.isAuthenticated)
    }

    @Test(arguments: [
        ("/me", #"{"error":"unauthorized","message":"User cannot view stats"}"#, 403),
        ("/me", #"{"error":"unauthorized","message":"Not you."}"#, 401), ("/me", #"{"error":"x","message":"y"}"#, 500),
    ])
    func `a missing permission does not end the session`(path: String, answer: String, status: Int) async throws {
        let session = try TestSession(.dotcom("anna"))
        session.network.simulate(path, json: answer, status: status)
        await #expect(throws: (any Error).self) {
            _ = try await session.value { AccountAction.synchronizeAccount(onCompletion: $0) } as Account
        }
        await session.manager.waitUntilIdle()
        #expect(session.manager.isAuthenticated)
    }

    @Test func `data of another user is deleted before the next session starts; that of the same user is kept`()
        async throws
    {
        let session = try TestSession(anna)
        session.network.simulate("/", json: Self.index)
        _ =
            try await session.value {
                AccountAction.synchronizeSites(selectedSiteID: nil, onCompletion: $0)
            } as SynchronizedSites
        try await session.manager.authenticate(.direct("anna", password: "new", site: site))
        #expect(try session.storage.read { try $0.count(Site.self) } == 1)
        try await session.manager.authenticate(.direct("ben", site: site))
        #expect(try session.storage.read { try $0.count(Site.self) } == 0)
        #expect(session.keeper.kept?.credentials.username == "ben")
    }

    @Test func `operations running at the end of a session save nothing afterward`() async throws {
        let (asked, release) = (Gate(), Gate())
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let network = WaitingNetwork(asked: asked, release: release, answer: Self.index)
        let manager = try StoresManager(
            dispatcher: Dispatcher(time: VirtualTimeSource()), session: SessionManager(signIn: anna),
            configuration: StoresManager.Configuration(
                authenticated: { signIn, onRefusal in
                    let session = SiteSession(
                        signIn, network: network, storage: storage, time: VirtualTimeSource(),
                        random: SeededRandomSource(seed: 1), onRefusal: onRefusal)
                    return AuthenticatedState(
                        signIn: signIn, session: session, stores: SiteStores.all(session.context))
                },
                deauthenticated: { DeauthenticatedState() }, disconnectReader: { _ in },
                forget: { () throws(StorageError) in try storage.reset() }))
        let synchronizing = Task {
            try? await manager.perform {
                AccountAction.synchronizeSites(selectedSiteID: nil, onCompletion: $0)
            } as SynchronizedSites
        }
        await asked.wait()
        let ending = Task { try await manager.deauthenticate() }
        await network.canceled.wait()
        release.open()
        try await ending.value
        _ = await synchronizing.value
        #expect(try storage.read { try $0.count(Site.self) } == 0)
    }

    @Test func `a reader that does not respond delays the end of a session only until a deadline`() async throws {
        let never = Gate()
        let manager = try StoresManager(
            dispatcher: Dispatcher(time: VirtualTimeSource()), session: SessionManager(signIn: anna),
            configuration: StoresManager.Configuration(
                authenticated: { signIn, _ in AuthenticatedState(signIn: signIn, stores: []) },
                deauthenticated: { DeauthenticatedState() }, disconnectReader: { _ in await never.wait() },
                time: VirtualTimeSource()))
        try await manager.deauthenticate()
        #expect(!manager.isAuthenticated)
        never.open()
    }

    @Test func `data that cannot be deleted is reported, and the user is signed out anyway`() async throws {
        let keeper = InMemorySignInStorage(anna)
        let manager = try StoresManager(
            dispatcher: Dispatcher(time: VirtualTimeSource()), session: SessionManager(keeper: keeper),
            configuration: StoresManager.Configuration(
                authenticated: { signIn, _ in AuthenticatedState(signIn: signIn, stores: []) },
                deauthenticated: { DeauthenticatedState() }, disconnectReader: { _ in },
                forget: { () throws(StorageError) in throw .busy(path: "till.sqlite") }))
        await #expect(throws: SessionError.notForgotten(.busy(path: "till.sqlite"))) {
            try await manager.deauthenticate()
        }
        #expect(!manager.isAuthenticated)
        #expect(keeper.kept == nil)
        // No user may access the data of another user.
        await #expect(throws: SessionError.notForgotten(.busy(path: "till.sqlite"))) {
            try await manager.authenticate(.direct("ben", site: site))
        }
        #expect(!manager.isAuthenticated)
    }

    @Test func `a session that cannot be stored does not start`() async throws {
        let session = try TestSession(nil)
        session.keeper.fail(SignInStorageError("disk full"))
        await #expect(throws: SessionError.notKept(SignInStorageError("disk full"))) {
            try await session.manager.authenticate(anna)
        }
        #expect(!session.manager.isAuthenticated)
        session.keeper.fail(nil)
        try await session.manager.authenticate(anna)
        #expect(session.keeper.kept == anna)
    }
}

/// Opens once, for all waiting tasks.
private final class Gate: Sendable {
    private let answer = FirstAnswer<Void, Never>()

    func open() { answer.give(.success(())) }
    func wait() async { _ = await withCheckedContinuation { answer.wait($0) } }
}

/// Responds when it is released, canceled or not, like a server whose response is on its way.
private final class WaitingNetwork: Network {
    let canceled = Gate()
    private let asked: Gate
    private let release: Gate
    private let answer: String

    init(asked: Gate, release: Gate, answer: String) {
        (self.asked, self.release, self.answer) = (asked, release, answer)
    }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        asked.open()
        await withTaskCancellationHandler {
            await release.wait()
        } onCancel: {
            canceled.open()
        }
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: Array(answer.utf8))
    }
}
