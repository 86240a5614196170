public import Networking

/// What ``NotificationStore`` does. Every completion is called exactly once.
///
/// Notifications belong to a WordPress.com account: with the credentials of a site they end in
/// ``NetworkError/missingCredentials(_:)``.
public enum NotificationAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Asks for notifications to be sent to a device.
    case registerDevice(
        device: DevicesRemote.Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64,
        onCompletion: Completion<DotcomDevice>)
    /// Stops that.
    case unregisterDevice(deviceID: String, onCompletion: Completion<Void>)
    /// Fetches what has changed, and forgets what is no longer there. It tells what was fetched.
    case synchronizeNotifications(onCompletion: Completion<ElementList<Note>>)
    /// The notifications that are kept, newest first.
    case loadNotifications(onCompletion: Completion<[Note]>)
    /// Fetches and keeps one notification.
    case synchronizeNotification(noteID: Int64, onCompletion: Completion<Note>)
    /// Tells the server up to which notification the user has looked: its timestamp, as the server wrote it.
    case updateLastSeen(timestamp: String, onCompletion: Completion<Void>)
    /// Marks a notification as read or unread: here at once, and at the server. When the server does not do it, it is
    /// as it was before, and the next synchronization fetches it.
    case updateReadStatus(noteID: Int64, read: Bool, onCompletion: Completion<Void>)
    /// The same for several, in one request.
    case updateMultipleReadStatus(noteIDs: [Int64], read: Bool, onCompletion: Completion<Void>)
    /// Notes here that the deletion of a notification was asked for, or that it was not.
    case updateLocalDeletedStatus(noteID: Int64, deleteInProgress: Bool, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        // The token of a device is a secret of its owner.
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
