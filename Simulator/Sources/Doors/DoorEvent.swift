/// What happened at a door.
public enum DoorEvent: Hashable, Sendable {
    /// Nobody is there yet, or any more; it is tried again. Told once until somebody is.
    case waiting(reason: String)
    case connected
    /// The card was powered, or reset while it had power. The answer is empty from a mute card.
    case reset(answerToReset: [UInt8], isWarm: Bool)
    /// A command, by its number since the door opened, its instruction byte and the card's status word; the status
    /// is nil when the card stayed mute. Command and answer themselves may hold card data.
    case command(number: Int, instruction: UInt8, status: UInt16?)
    case poweredOff
    /// The connection ended, after so many commands since the door opened. The reason is nil when this side was told
    /// to end it.
    case disconnected(commands: Int, reason: String?)
}
