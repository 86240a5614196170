import Concurrency
import Fakes
import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// The store of notifications with commands that a test made: neither an account nor a network is needed.
@Suite struct NotificationCommandTests {
    /// Commands with results that are set, and a list of what was saved.
    private final class Commands: NotificationCommandFactory {
        let saved = Log<NotificationChanges>()
        let fetched = Log<[Int64]>()
        let hashes: ElementList<NoteHash>
        let stored: [Note]
        let notes: [Note]

        init(hashes: ElementList<NoteHash> = ElementList(elements: []), stored: [Note] = [], notes: [Note] = []) {
            (self.hashes, self.stored, self.notes) = (hashes, stored, notes)
        }

        func registerDevice(
            _ device: DevicesRemote.Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64
        ) -> any Command<DotcomDevice, StoreError> { KnownCommand(failure: .canceled) }

        func unregisterDevice(_ deviceID: String) -> any Command<Void, StoreError> { KnownCommand(()) }

        func fetchHashes() -> any Command<ElementList<NoteHash>, StoreError> { KnownCommand(hashes) }

        func fetchNotes(_ noteIDs: [Int64]) -> any Command<ElementList<Note>, StoreError> {
            ClosureCommand { [fetched, notes] () throws(StoreError) in
                fetched.add(noteIDs)
                return ElementList(elements: notes.filter { noteIDs.contains($0.id) })
            }
        }

        func updateLastSeen(_ timestamp: String) -> any Command<Void, StoreError> { KnownCommand(()) }

        func updateReadStatus(_ noteIDs: [Int64], read: Bool) -> any Command<Void, StoreError> { KnownCommand(()) }

        func storedNotes() -> any Command<[Note], StoreError> { KnownCommand(stored) }

        func save(_ changes: NotificationChanges) -> any Command<Void, StoreError> {
            ClosureCommand { [saved] () throws(StoreError) in saved.add(changes) }
        }
    }

    private let shop: TestShop

    init() throws { shop = try TestShop { _ in .json("no request is expected") } }

    private func value<Value: Sendable>(
        _ commands: Commands,
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws -> Value {
        let dispatcher = Dispatcher(time: shop.time)
        _ = try NotificationStore(shop.context, commands: commands).registerSupportedActions(in: dispatcher)
        let value: Value = try await dispatcher.perform { makeAction($0) }
        #expect(shop.site.calls.isEmpty)
        return value
    }

    private func note(_ id: Int64, hash: Int64) -> Note { Note.fake().copy(id: id, noteHash: hash) }

    private func synchronize(_ commands: Commands) async throws -> [Int64] {
        let list: ElementList<Note> = try await value(commands) {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        return list.elements.map(\.id)
    }

    @Test func `only changed notifications are fetched, and others are deleted`() async throws {
        let changed = note(2, hash: 20)
        let commands = Commands(
            hashes: ElementList(elements: [NoteHash(id: 1, noteHash: 10), NoteHash(id: 2, noteHash: 20)]),
            stored: [note(1, hash: 10), note(2, hash: 19), note(3, hash: 30)], notes: [changed])
        #expect(try await synchronize(commands) == [2])
        #expect(commands.fetched.entries == [[2]])
        #expect(commands.saved.entries == [NotificationChanges(notes: [changed], listed: [1, 2])])
    }

    @Test func `without a change, nothing is fetched`() async throws {
        let commands = Commands(
            hashes: ElementList(elements: [NoteHash(id: 1, noteHash: 10)]), stored: [note(1, hash: 10)])
        #expect(try await synchronize(commands).isEmpty)
        #expect(commands.fetched.entries.isEmpty)
        #expect(commands.saved.entries == [NotificationChanges(notes: [], listed: [1])])
    }

    @Test func `a notification that the account does not have is not saved`() async throws {
        let commands = Commands()
        await #expect(throws: ActionFailure<StoreError>.failed(.notFound(entity: "notification", id: "4"))) {
            let _: Note = try await value(commands) {
                NotificationAction.synchronizeNotification(noteID: 4, onCompletion: $0)
            }
        }
        #expect(commands.saved.entries.isEmpty)
    }
}
