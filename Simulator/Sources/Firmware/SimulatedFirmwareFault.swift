/// Something that goes wrong once while a simulated device takes firmware.
public enum SimulatedFirmwareFault: Hashable, Sendable {
    /// The device finds that the first block is not for it.
    case refused
    /// What was written is found to be wrong at the end.
    case verificationFailed
    /// It is pulled out when it has so much of the firmware, 0...100; it has to be plugged in again.
    case unplugged(percent: Int)
    /// It stalls the block with this number, counted from 0.
    case stalled(block: Int)
    /// It is busy with the block with this number, and never ends.
    case busyForEver(block: Int)
    /// It stays at its work when it is asked into update mode.
    case doesNotDetach
    /// It does not come back when it has the firmware.
    case doesNotReturn
    /// It leaves the bus while it takes the firmware in, without waiting for a reset.
    case restartsByItself
}
