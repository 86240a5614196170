public import Determinism

/// The messages of a reader in their order, each shown for at least its hold time (EMV Contactless Book A §7.1).
///
/// Kernels and Entry Point never wait for a message. The reader adds messages as they arrive, and calls
/// ``advance(to:)`` then and at ``nextChange``.
public struct MessageQueue: Sendable {
    /// The message on the display; nil before the first.
    public private(set) var shown: UserInterfaceRequest?
    private var waiting: [UserInterfaceRequest] = []
    private var heldUntil: Timestamp?

    /// Has no message.
    public init() {}

    /// Adds a message behind the others.
    public mutating func add(_ message: UserInterfaceRequest) { waiting.append(message) }

    /// Returns the messages that replace the shown one now, in their order. The last one stays.
    public mutating func advance(to now: Timestamp) -> [UserInterfaceRequest] {
        var changes: [UserInterfaceRequest] = []
        while let next = waiting.first, heldUntil.map({ $0 <= now }) ?? true {
            waiting.removeFirst()
            heldUntil = now.advanced(by: next.holdTime)
            shown = next
            changes.append(next)
        }
        return changes
    }

    /// The time at which the next message replaces the shown one; nil if none waits.
    public var nextChange: Timestamp? { waiting.isEmpty ? nil : heldUntil }
}
