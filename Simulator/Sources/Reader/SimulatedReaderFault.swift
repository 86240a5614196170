/// Something that goes wrong in a reader, at a known place: for tests and scenarios.
public enum SimulatedReaderFault: Hashable, Sendable {
    /// What happens to a command.
    public enum Disturbance: Hashable, Sendable {
        /// The endpoint stalls and the reader does not see the command.
        case commandStalled
        /// The command is executed; the endpoint stalls in place of the answer.
        case answerStalled
        /// A transfer of zero bytes comes before the answer.
        case zeroLengthFirst
        /// The answer carries the sequence number of the next command.
        case wrongSequence
        /// dwLength of the answer says so many bytes more, or fewer, than there are.
        case wrongLength(Int)
        /// dwLength of the answer says four billion bytes.
        case hugeLength
        /// The answer is cut to so many bytes, dwLength as it was.
        case truncated(Int)
        /// The command is executed and never answered.
        case unanswered
        /// The card is pulled out when it has got the command and before its answer is out.
        case cardRemoved
        /// The reader is pulled out when it has got the command.
        case unplugged
    }

    /// The nth command from now, 1 being the next, whatever it is.
    case command(Int, Disturbance)
    /// The nth XfrBlock from now, 1 being the next.
    case xfrBlock(Int, Disturbance)
    /// The reader is pulled out after so many more bulk transfers, both directions counted.
    case unplugged(afterBulkTransfers: Int)
    /// The reader reports an overcurrent on a slot (HardwareError, CCID 1.1 §6.3.2), now.
    case hardwareError(slot: UInt8)
    /// The firmware hangs, now: it takes every command and answers none until the device is reset, or only until it is
    /// plugged in again.
    case hang(untilReset: Bool)
}
