internal import Commands
internal import Networking
internal import Storage

/// Keeps the notifications of a WordPress.com account.
public final class NotificationStore: Store {
    public typealias SupportedAction = NotificationAction

    /// No server makes this hash, so a notification that has it is fetched by the next synchronization.
    static let unknownHash = Int64.min

    private let context: StoreContext
    private let notes: NotificationsRemote
    private let devices: DevicesRemote

    public init(_ context: StoreContext) {
        self.context = context
        (notes, devices) = (NotificationsRemote(context.sender), DevicesRemote(context.sender))
    }

    public func onAction(_ action: NotificationAction) {
        switch action {
        case .registerDevice(let device, let application, let version, let siteID, let onCompletion):
            context.run(
                HTTPCommand { [devices] () throws(NetworkError) in
                    try await devices.registerDevice(
                        device, applicationID: application, applicationVersion: version, defaultStoreID: siteID)
                }, onCompletion)
        case .unregisterDevice(let deviceID, let onCompletion):
            context.run(
                HTTPCommand { [devices] () throws(NetworkError) in try await devices.unregisterDevice(deviceID) },
                onCompletion)
        case .synchronizeNotifications(let onCompletion): synchronize(onCompletion)
        case .loadNotifications(let onCompletion):
            context.read(onCompletion) { storage in
                try storage.models(
                    Note.self, matching: { $0.deleteInProgress == false },
                    sortedBy: { [$0.timestamp.descending, $0.id.descending] })
            }
        case .synchronizeNotification(let noteID, let onCompletion): synchronize(noteID, onCompletion)
        case .updateLastSeen(let timestamp, let onCompletion):
            context.run(
                HTTPCommand { [notes] () throws(NetworkError) in try await notes.updateLastSeen(timestamp) },
                onCompletion)
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

    /// The hashes tell what has changed, and only that is fetched. All of it is kept at once, or nothing.
    private func synchronize(_ onCompletion: @escaping NotificationAction.Completion<ElementList<Note>>) {
        context.carryOut(CommandKey("notifications"), onCompletion) { [context, notes] () throws(StoreError) in
            let hashes = try await context.ask { () throws(NetworkError) in try await notes.loadHashes() }
            let changed = try context.read { try Self.changed(hashes.elements, in: $0) }
            var fetched = ElementList<Note>(elements: [])
            if !changed.isEmpty {
                fetched = try await context.ask { () throws(NetworkError) in try await notes.loadNotes(changed) }
            }
            let arrived = fetched.elements
            try context.write { storage in
                if hashes.rejected.isEmpty {
                    let listed = hashes.elements.map(\.id)
                    try storage.delete(Note.self) { !$0.id.isIn(listed) }
                }
                try Self.keep(arrived, in: storage)
            }
            return ElementList(elements: arrived, rejected: hashes.rejected + fetched.rejected)
        }
    }

    private func synchronize(_ noteID: Int64, _ onCompletion: @escaping NotificationAction.Completion<Note>) {
        context.synchronize(
            CommandKey("notifications.one", String(noteID)),
            { [notes] () throws(NetworkError) in try await notes.loadNotes([noteID]) },
            save: { list, storage in
                guard let note = list.elements.first(where: { $0.id == noteID }) else {
                    if let failure = list.rejected.first { throw StoreError.network(.undecodable(failure)) }
                    throw StoreError.notFound(entity: "notification", id: String(noteID))
                }
                try Self.keep([note], in: storage)
                return note
            }, onCompletion)
    }

    private static func changed(_ hashes: [NoteHash], in storage: any StorageType) throws -> [Int64] {
        let kept = try storage.models(Note.self)
        let known = Dictionary(kept.map { ($0.id, $0.noteHash) }) { first, _ in first }
        return hashes.filter { known[$0.id] != $0.noteHash }.map(\.id)
    }

    /// What was noted here alone stays.
    private static func keep(_ notes: [Note], in storage: any StorageType) throws {
        let noteIDs = notes.map(\.id)
        let deleting = Set(
            try storage.models(Note.self, matching: { $0.id.isIn(noteIDs) && $0.deleteInProgress == true }).map(\.id))
        try storage.save(notes.map { $0.copy(deleteInProgress: deleting.contains($0.id)) })
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
        context.run(
            HTTPCommand { [notes] () throws(NetworkError) in try await notes.updateReadStatus(noteIDs, read: read) }
        ) { [context] result in
            if case .failure = result {
                // That the server did not do it is what has to be told, whatever becomes of this.
                _ = try? context.write { try Self.takeBack(changed, of: noteIDs, read: read, in: $0) }
            }
            onCompletion(result)
        }
    }

    /// - Returns: those that this has changed.
    private static func mark(_ noteIDs: [Int64], read: Bool, in storage: any StorageType) throws -> [Int64] {
        let others = try storage.models(Note.self, matching: { $0.id.isIn(noteIDs) && $0.read != read })
        try storage.save(others.map { $0.copy(read: read) })
        return others.map(\.id)
    }

    /// A note that somebody has marked otherwise since is left as it is. Whatever the server did: it is asked again.
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
