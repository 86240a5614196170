public import Determinism

/// What a device does when the host reads from it.
public enum SimulatedUSBInput: Hashable, Sendable {
    /// A transfer, possibly of zero bytes.
    case data([UInt8])
    /// Nothing yet. The moment is when there will be something, as far as the device knows.
    case notYet(Timestamp?)
    case stall
    /// More bytes in a packet than the host has room for.
    case overflow
}
