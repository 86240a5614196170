import Determinism
import Networking
import Storage
import TestDoubles
import Testing
import Text

@testable import Yosemite

/// Notifications of a WordPress.com account.
struct NotificationStoreTests {
    private let session: SiteStoresBench

    init() throws { session = try SiteStoresBench(.dotcom) }

    private static func note(_ id: Int64, hash: Int64, read: Bool = false, isDeleting: Bool = false) -> Note {
        Note(
            id: id, noteHash: hash, read: read, icon: nil, noticon: nil, timestamp: SiteStoresBench.evening,
            type: "store_order", subtype: nil, url: nil, title: nil, subject: [], header: [], body: [], meta: nil,
            deleteInProgress: isDeleting)
    }

    private static func json(_ id: Int64, hash: Int64, read: Int = 0) -> String {
        """
        {"id":\(id),"note_hash":\(hash),"read":\(read),"type":"store_order","timestamp":"2026-06-18T21:30:00+00:00",
         "subject":[{"text":"New order"}],"body":[],"header":[]}
        """
    }

    private func simulate(_ notes: String) {
        session.network.simulate("/notifications", json: "{\"notes\":[\(notes)]}")
    }

    private func kept() throws -> [String] {
        try session.kept(Note.self).map { "\($0.id) \($0.noteHash) \($0.read ? "read" : "unread")" }
    }

    private func synchronize() async throws -> ElementList<Note> {
        try await session.value { NotificationAction.synchronizeNotifications(onCompletion: $0) }
    }

    // MARK: Synchronizing

    @Test func `only changed notifications are fetched, and missing ones are deleted`() async throws {
        try session.keep([Self.note(1, hash: 10), Self.note(2, hash: 20), Self.note(3, hash: 30)])
        simulate(#"{"id":1,"note_hash":10},{"id":2,"note_hash":21},{"id":4,"note_hash":40}"#)
        simulate("\(Self.json(2, hash: 21, read: 1)),\(Self.json(4, hash: 40))")
        #expect(try await synchronize().elements.map(\.id) == [2, 4])
        #expect(try kept() == ["1 10 unread", "2 21 read", "4 40 unread"])
        #expect(session.queries.count == 2)
        #expect(session.queries[0].contains("number=100"))
        #expect(session.queries[1].contains("ids=2,4"))
    }

    @Test func `nothing is fetched when nothing has changed`() async throws {
        try session.keep([Self.note(1, hash: 10)])
        simulate(#"{"id":1,"note_hash":10}"#)
        #expect(try await synchronize().elements.isEmpty)
        #expect(session.network.requests.count == 1)
    }

    @Test func `nothing is saved when the second request fails`() async throws {
        try session.keep([Self.note(1, hash: 10), Self.note(2, hash: 20)])
        simulate(#"{"id":2,"note_hash":21}"#)
        session.network.simulate("/notifications", error: .connectionLost(host: "h", reason: "cut"))
        #expect(
            await session.failure(ElementList<Note>.self) {
                NotificationAction.synchronizeNotifications(onCompletion: $0)
            } == .network(.connectionLost(host: "h", reason: "cut")))
        #expect(try kept() == ["1 10 unread", "2 20 unread"])
    }

    @Test func `an invalid hash deletes no notification`() async throws {
        try session.keep([Self.note(1, hash: 10), Self.note(2, hash: 20)])
        simulate(#"{"id":1,"note_hash":10},{"id":2}"#)
        #expect(try await synchronize().rejected.map(\.path) == ["notes[1].noteHash"])
        #expect(try kept() == ["1 10 unread", "2 20 unread"])
    }

    @Test func `a notification marked for deletion stays so when it is fetched`() async throws {
        try session.keep([Self.note(1, hash: 10)])
        let _: Void = try await session.value {
            NotificationAction.updateLocalDeletedStatus(noteID: 1, deleteInProgress: true, onCompletion: $0)
        }
        simulate(#"{"id":1,"note_hash":11}"#)
        simulate(Self.json(1, hash: 11))
        _ = try await synchronize()
        #expect(try session.kept(Note.self).map(\.deleteInProgress) == [true])
        let shown: [Note] = try await session.value { NotificationAction.loadNotifications(onCompletion: $0) }
        #expect(shown.isEmpty)
        #expect(
            await session.failure(Void.self) {
                NotificationAction.updateLocalDeletedStatus(noteID: 9, deleteInProgress: true, onCompletion: $0)
            } == .notFound(entity: "notification", id: "9"))
    }

    @Test func `one notification is fetched by its number`() async throws {
        simulate(Self.json(7, hash: 70))
        simulate("")
        simulate(#"{"id":7}"#)
        let note: Note = try await session.value {
            NotificationAction.synchronizeNotification(noteID: 7, onCompletion: $0)
        }
        #expect(note.subject.first?["text"] == "New order")
        #expect(session.queries[0].contains("ids=7"))
        #expect(
            await session.failure(Note.self) {
                NotificationAction.synchronizeNotification(noteID: 7, onCompletion: $0)
            } == .notFound(entity: "notification", id: "7"))
        let error = await session.failure(Note.self) {
            NotificationAction.synchronizeNotification(noteID: 7, onCompletion: $0)
        }
        guard case .network(.undecodable) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try kept() == ["7 70 unread"])
    }

    // MARK: Reading

    private func markAsRead(_ ids: [Int64], _ read: Bool = true) async -> StoreError? {
        await session.failure(Void.self) {
            NotificationAction.updateMultipleReadStatus(noteIDs: ids, read: read, onCompletion: $0)
        }
    }

    @Test func `a notification is marked as read before the server responds`() async throws {
        try session.keep([Self.note(1, hash: 10)])
        let storage = session.storage
        let seen = SeenState<[Bool]>()
        let answering = try SiteStoresBench(
            .dotcom, storage: storage,
            over: HookedNetwork { _ in
                seen.note((try? storage.read { try $0.models(Note.self).map(\.read) }) ?? [])
                return .json(#"{"success":true}"#)
            })
        let _: Void = try await answering.value {
            NotificationAction.updateReadStatus(noteID: 1, read: true, onCompletion: $0)
        }
        #expect(seen.states == [[true]])
        #expect(try kept() == ["1 10 read"])
    }

    @Test func `the read count decides whether a notification is read`() async throws {
        try session.keep([Self.note(1, hash: 10), Self.note(2, hash: 20)])
        session.network.simulate("notifications/read", json: #"{"success":true}"#)
        #expect(await markAsRead([1, 2]) == nil)
        #expect(await markAsRead([2], false) == nil)
        #expect(
            session.bodies.map { PercentEncoding.decode($0) } == ["counts[1]=9999&counts[2]=9999", "counts[2]=-9999"])
        #expect(try kept() == ["1 10 read", "2 20 unread"])
    }

    @Test(arguments: [
        #"{"success":false}"#, #"{"success":null}"#, #"{}"#, #"{"error":"unauthorized","message":"No"}"#, "<html>",
    ])
    func `a change that the server rejects is reverted, and the notification is fetched again`(answer: String)
        async throws
    {
        try session.keep([Self.note(1, hash: 10), Self.note(2, hash: 20, read: true)])
        session.network.simulate("notifications/read", json: answer)
        #expect(await markAsRead([1, 2]) != nil)
        let unknown = NotificationStore.unknownHash
        #expect(try kept() == ["1 \(unknown) unread", "2 \(unknown) read"])
        session.network.removeAllAnswers()
        simulate(#"{"id":1,"note_hash":10},{"id":2,"note_hash":20}"#)
        simulate("\(Self.json(1, hash: 10, read: 1)),\(Self.json(2, hash: 20, read: 1))")
        #expect(try await synchronize().elements.count == 2)
        #expect(try kept() == ["1 10 read", "2 20 read"])
    }

    @Test func `a newer change is not reverted`() async throws {
        try session.keep([Self.note(1, hash: 10)])
        let storage = session.storage
        let failing = try SiteStoresBench(
            .dotcom, storage: storage,
            over: HookedNetwork { _ throws(NetworkError) in
                // The user changes their mind while the server is asked.
                _ = try? storage.performAndSave { try $0.save(try $0.models(Note.self).map { $0.copy(read: false) }) }
                throw .timedOut(host: "h", wasSent: true)
            })
        #expect(
            await failing.failure(Void.self) {
                NotificationAction.updateReadStatus(noteID: 1, read: true, onCompletion: $0)
            } == .network(.timedOut(host: "h", wasSent: true)))
        #expect(try kept() == ["1 \(NotificationStore.unknownHash) unread"])
    }

    @Test func `no notifications cause no request`() async throws {
        #expect(await markAsRead([]) == nil)
        #expect(session.network.requests.isEmpty)
    }

    // MARK: The rest

    @Test(arguments: [#"{"success":true}"#, #"{"success":false}"#])
    func `only a successful response counts as success`(answer: String) async throws {
        let isDone = answer.contains("true")
        for suffix in ["notifications/seen", "devices/12/delete"] { session.network.simulate(suffix, json: answer) }
        let seen = await session.failure(Void.self) {
            NotificationAction.updateLastSeen(timestamp: "2026-06-18T21:30:00+00:00", onCompletion: $0)
        }
        let removed = await session.failure(Void.self) {
            NotificationAction.unregisterDevice(deviceID: "12", onCompletion: $0)
        }
        #expect((seen == nil) == isDone)
        #expect((removed == nil) == isDone)
    }

    @Test func `a device is registered for its store, and its token is in no log`() async throws {
        session.network.simulate("devices/new", json: #"{"ID":"12"}"#)
        let device = DevicesRemote.Device(token: "canary", family: "linux", name: "till", model: "pc", osVersion: "12")
        let registered: DotcomDevice = try await session.value {
            let action = NotificationAction.registerDevice(
                device: device, applicationID: "app", applicationVersion: "1", defaultStoreID: 5, onCompletion: $0)
            #expect(!"\(action.redactedDescription)".contains("canary"))
            return action
        }
        #expect(registered.id == "12")
        #expect(session.bodies.first?.contains("selected_blog_id=5") == true)
    }

    @Test func `a site with a direct login has no notifications, and WordPress dot com gets no request`()
        async throws
    {
        let session = try SiteStoresBench(.site)
        let error = await session.failure(ElementList<Note>.self) {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        guard case .network(.missingCredentials) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(session.network.requests.isEmpty)
    }

    @Test func `two stores keep their own notifications`() async throws {
        let other = try SiteStoresBench(.dotcom)
        try session.keep([Self.note(1, hash: 10)])
        let notes: [Note] = try await other.value { NotificationAction.loadNotifications(onCompletion: $0) }
        #expect(notes.isEmpty)
    }
}
