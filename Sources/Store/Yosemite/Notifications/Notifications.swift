import Concurrency
public import Networking
import Storage

/// The actions of ``NotificationStore``. Every completion is called exactly once.
///
/// Notifications belong to a WordPress.com account: with the credentials of a site, actions fail with
/// ``NetworkError/missingCredentials(_:)``.
public enum NotificationAction: Action {
    /// Registers a device for push notifications.
    case registerDevice(
        device: DevicesRemote.Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64,
        onCompletion: Completion<DotcomDevice>)
    /// Unregisters a device.
    case unregisterDevice(deviceID: String, onCompletion: Completion<Void>)
    /// Fetches changed notifications, and deletes stored ones that no longer exist. Completes with the fetched ones.
    case synchronizeNotifications(onCompletion: Completion<ElementList<Note>>)
    /// Loads the stored notifications, newest first.
    case loadNotifications(onCompletion: Completion<[Note]>)
    /// Fetches and stores one notification.
    case synchronizeNotification(noteID: Int64, onCompletion: Completion<Note>)
    /// Sends the timestamp of the last notification that the user has seen, in the server's form.
    case updateLastSeen(timestamp: String, onCompletion: Completion<Void>)
    /// Marks a notification as read or unread: here at once, and at the server. If the server fails, the change is
    /// reverted, and the next synchronization fetches the notification.
    case updateReadStatus(noteID: Int64, read: Bool, onCompletion: Completion<Void>)
    /// Marks several notifications in one request.
    case updateMultipleReadStatus(noteIDs: [Int64], read: Bool, onCompletion: Completion<Void>)
    /// Sets whether the deletion of a notification is in progress; not sent to the server.
    case updateLocalDeletedStatus(noteID: Int64, deleteInProgress: Bool, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        // The device token is a secret of its owner.
        case .registerDevice(_, let application, let version, let siteID, _):
            ["application": application, "version": version, "site": String(siteID)]
        case .unregisterDevice, .synchronizeNotifications, .loadNotifications, .updateLastSeen: [:]
        case .synchronizeNotification(let noteID, _): ["note": String(noteID)]
        case .updateReadStatus(let noteID, let read, _): ["note": String(noteID), "read": String(read)]
        case .updateMultipleReadStatus(let noteIDs, let read, _):
            ["notes": String(noteIDs.count), "read": String(read)]
        case .updateLocalDeletedStatus(let noteID, let isDeleting, _):
            ["note": String(noteID), "deleteInProgress": String(isDeleting)]
        }
    }
}

/// The notifications of a WordPress.com account.
public final class NotificationStore: Store {
    /// No server uses this hash, so the next synchronization fetches a notification with it.
    static let unknownHash = Int64.min

    private let context: StoreContext
    private let commands: any NotificationCommandFactory

    /// Handles the notification actions of the session that `context` belongs to.
    public convenience init(_ context: StoreContext) {
        self.init(context, commands: AccountNotificationCommands(context))
    }

    /// - Parameters:
    ///   - context: the dependencies of the stores of a site.
    ///   - commands: makes the commands that read notifications from the account and keep them.
    init(_ context: StoreContext, commands: any NotificationCommandFactory) {
        (self.context, self.commands) = (context, commands)
    }

    public func onAction(_ action: NotificationAction) {
        switch action {
        case .registerDevice(let device, let application, let version, let siteID, let onCompletion):
            context.run(
                commands.registerDevice(
                    device, applicationID: application, applicationVersion: version, defaultStoreID: siteID),
                onCompletion)
        case .unregisterDevice(let deviceID, let onCompletion):
            context.run(commands.unregisterDevice(deviceID), onCompletion)
        case .synchronizeNotifications(let onCompletion): synchronize(onCompletion)
        case .loadNotifications(let onCompletion):
            context.read(onCompletion) { storage in
                try storage.models(
                    Note.self, matching: { $0.deleteInProgress == false },
                    sortedBy: { [$0.timestamp.descending, $0.id.descending] })
            }
        case .synchronizeNotification(let noteID, let onCompletion): synchronize(noteID, onCompletion)
        case .updateLastSeen(let timestamp, let onCompletion):
            context.run(commands.updateLastSeen(timestamp), onCompletion)
        case .updateReadStatus(let noteID, let read, let onCompletion):
            updateReadStatus([noteID], read: read, onCompletion)
        case .updateMultipleReadStatus(let noteIDs, let read, let onCompletion):
            updateReadStatus(noteIDs, read: read, onCompletion)
        case .updateLocalDeletedStatus(let noteID, let isDeleting, let onCompletion):
            context.write(onCompletion) { storage in
                guard let note = try storage.model(Note.self, matching: { $0.id == noteID }) else {
                    throw StoreError.notFound(entity: "notification", id: String(noteID))
                }
                try storage.save(note.copy(deleteInProgress: isDeleting))
            }
        }
    }

    // MARK: Synchronizing

    /// Compares hashes, and fetches only changed notifications. They are stored in one transaction.
    private func synchronize(_ onCompletion: @escaping NotificationAction.Completion<ElementList<Note>>) {
        let kept = commands.fetchHashes().then { [commands] hashes in
            commands.storedNotes().then { stored in
                let changed = Self.changed(hashes.elements, since: stored)
                return changed.isEmpty ? KnownCommand(ElementList<Note>(elements: [])) : commands.fetchNotes(changed)
            }.followed { fetched in
                let listed = hashes.rejected.isEmpty ? hashes.elements.map(\.id) : nil
                return commands.save(NotificationChanges(notes: fetched.elements, listed: listed))
            }.map { fetched in
                ElementList(elements: fetched.elements, rejected: hashes.rejected + fetched.rejected)
            }
        }
        context.run(kept.keyed(CommandKey("notifications")), onCompletion)
    }

    private func synchronize(_ noteID: Int64, _ onCompletion: @escaping NotificationAction.Completion<Note>) {
        let fetched = commands.fetchNotes([noteID]).map { list throws(StoreError) -> Note in
            if let note = list.elements.first(where: { $0.id == noteID }) { return note }
            if let failure = list.rejected.first { throw .network(.undecodable(failure)) }
            throw .notFound(entity: "notification", id: String(noteID))
        }.followed { [commands] note in commands.save(NotificationChanges(notes: [note], listed: nil)) }
        context.run(fetched.keyed(CommandKey("notifications.one", String(noteID))), onCompletion)
    }

    private static func changed(_ hashes: [NoteHash], since stored: [Note]) -> [Int64] {
        let known = Dictionary(stored.map { ($0.id, $0.noteHash) }) { first, _ in first }
        return hashes.filter { known[$0.id] != $0.noteHash }.map(\.id)
    }

    // MARK: Reading

    private func updateReadStatus(
        _ noteIDs: [Int64], read: Bool, _ onCompletion: @escaping NotificationAction.Completion<Void>
    ) {
        guard !noteIDs.isEmpty else { return onCompletion(.success(())) }
        let changed: [Int64]
        do throws(StoreError) { changed = try context.write { try Self.mark(noteIDs, read: read, in: $0) } } catch {
            return onCompletion(.failure(error))
        }
        context.run(commands.updateReadStatus(noteIDs, read: read)) { [context] result in
            if case .failure = result {
                // The server's failure is reported, whether or not the change can be reverted.
                _ = try? context.write { try Self.takeBack(changed, of: noteIDs, read: read, in: $0) }
            }
            onCompletion(result)
        }
    }

    /// - Returns: the notifications that this has changed.
    private static func mark(_ noteIDs: [Int64], read: Bool, in storage: any StorageType) throws -> [Int64] {
        let others = try storage.models(Note.self, matching: { $0.id.isIn(noteIDs) && $0.read != read })
        try storage.save(others.map { $0.copy(read: read) })
        return others.map(\.id)
    }

    /// Reverts the change, except for notifications that were marked again since. They are all fetched again, because
    /// the outcome at the server is unknown.
    private static func takeBack(
        _ changed: [Int64], of noteIDs: [Int64], read: Bool, in storage: any StorageType
    ) throws {
        let kept = try storage.models(Note.self, matching: { $0.id.isIn(noteIDs) })
        try storage.save(
            kept.map { note in
                let isOurs = changed.contains(note.id) && note.read == read
                return note.copy(noteHash: unknownHash, read: isOurs ? !read : note.read)
            })
    }
}
