import Concurrency
import Networking
import Storage

/// Makes the commands with which ``NotificationStore`` reads and changes the notifications of an account and keeps
/// them.
///
/// Each command does one thing, and the store composes them. It knows only the types of their values and errors, so
/// that a test can replace each command.
protocol NotificationCommandFactory: Sendable {
    // MARK: At WordPress.com

    func registerDevice(
        _ device: DevicesRemote.Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64
    ) -> any Command<DotcomDevice, StoreError>
    func unregisterDevice(_ deviceID: String) -> any Command<Void, StoreError>
    /// Fetches the ID and a hash of each notification: a changed one has another hash.
    func fetchHashes() -> any Command<ElementList<NoteHash>, StoreError>
    func fetchNotes(_ noteIDs: [Int64]) -> any Command<ElementList<Note>, StoreError>
    func updateLastSeen(_ timestamp: String) -> any Command<Void, StoreError>
    func updateReadStatus(_ noteIDs: [Int64], read: Bool) -> any Command<Void, StoreError>

    // MARK: In the database

    func storedNotes() -> any Command<[Note], StoreError>
    /// Saves what changed in one transaction.
    func save(_ changes: NotificationChanges) -> any Command<Void, StoreError>
}

/// The notifications to save and to delete after a read.
struct NotificationChanges: Hashable, Sendable {
    /// The notifications to save. What is known only here stays: whether one is being deleted.
    let notes: [Note]
    /// The IDs of all notifications of the account: others are deleted. Nil to delete none.
    let listed: [Int64]?

    func save(in storage: any StorageType) throws {
        if let listed { try storage.delete(Note.self) { !$0.id.isIn(listed) } }
        let noteIDs = notes.map(\.id)
        let deleting = Set(
            try storage.models(Note.self, matching: { $0.id.isIn(noteIDs) && $0.deleteInProgress == true }).map(\.id))
        try storage.save(notes.map { $0.copy(deleteInProgress: deleting.contains($0.id)) })
    }
}

/// The commands of an account's session.
struct AccountNotificationCommands: NotificationCommandFactory {
    private let storage: any StorageManagerType
    private let devices: DevicesRemote
    private let remote: NotificationsRemote

    init(_ context: StoreContext) {
        storage = context.storage
        (devices, remote) = (DevicesRemote(context.sender), NotificationsRemote(context.sender))
    }

    func registerDevice(
        _ device: DevicesRemote.Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64
    ) -> any Command<DotcomDevice, StoreError> {
        HTTPCommand { [devices] () async throws(NetworkError) in
            try await devices.registerDevice(
                device, applicationID: applicationID, applicationVersion: applicationVersion,
                defaultStoreID: defaultStoreID)
        }
    }

    func unregisterDevice(_ deviceID: String) -> any Command<Void, StoreError> {
        HTTPCommand { [devices] () async throws(NetworkError) in try await devices.unregisterDevice(deviceID) }
    }

    func fetchHashes() -> any Command<ElementList<NoteHash>, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in try await remote.loadHashes() }
    }

    func fetchNotes(_ noteIDs: [Int64]) -> any Command<ElementList<Note>, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in try await remote.loadNotes(noteIDs) }
    }

    func updateLastSeen(_ timestamp: String) -> any Command<Void, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in try await remote.updateLastSeen(timestamp) }
    }

    func updateReadStatus(_ noteIDs: [Int64], read: Bool) -> any Command<Void, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.updateReadStatus(noteIDs, read: read)
        }
    }

    func storedNotes() -> any Command<[Note], StoreError> {
        ClosureCommand { [storage] () throws(StoreError) in
            do { return try storage.read { try $0.models(Note.self) } } catch {
                throw StoreError(error, path: storage.path)
            }
        }
    }

    func save(_ changes: NotificationChanges) -> any Command<Void, StoreError> {
        StoreCommand(in: storage) { try changes.save(in: $0) }
    }
}
