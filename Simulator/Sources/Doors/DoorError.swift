/// Why a door closed.
public enum DoorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody listens there, or nobody can be reached. The text is the system's.
    case unreachable(DoorAddress, reason: String)
    /// This address cannot be listened at. The text is the system's.
    case notListening(DoorAddress, reason: String)
    /// Nobody connected to this address in time.
    case nobodyCame(DoorAddress)
    /// The other side went away. The text is the system's; nil for an orderly end.
    case peerGone(reason: String?)
    /// The card stayed mute, and the protocol has no word for that but the end of the connection.
    case cardMute
    /// The card's profile has it pulled out.
    case cardRemoved
    /// The other side does not speak the door's protocol; the text says where.
    case malformed(String)
    /// The other side does not want the card (VSCard error codes: 1 general, 2 no more readers, 3 there is a card).
    case refused(code: UInt32)
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "nobody answers at \(address): \(reason)"
        case .notListening(let address, let reason): "cannot listen at \(address): \(reason)"
        case .nobodyCame(let address): "nobody came to \(address)"
        case .peerGone(let reason): reason.map { "the other side is gone: \($0)" } ?? "the other side is gone"
        case .cardMute: "the card does not answer"
        case .cardRemoved: "the card was pulled out"
        case .malformed(let place): "the other side does not speak the protocol: \(place)"
        case .refused(2): "the other side has no reader left for the card"
        case .refused(3): "the other side has a card already"
        case .refused(let code): "the other side refused the card with error \(code)"
        case .cancelled: "cancelled"
        }
    }
}
