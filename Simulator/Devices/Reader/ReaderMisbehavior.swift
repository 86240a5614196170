import Determinism
import SmartCard

/// A fault of a simulated reader at a defined point, for tests and scenarios.
public enum SimulatedReaderFault: Hashable, Sendable {
    /// A fault applied to one command.
    public enum Disturbance: Hashable, Sendable {
        /// The endpoint stalls and the reader does not receive the command.
        case commandStalled
        /// The command is executed, but the endpoint stalls instead of sending the answer.
        case answerStalled
        /// A zero-length transfer precedes the answer.
        case zeroLengthFirst
        /// The answer carries the sequence number of the next command.
        case wrongSequence
        /// The answer's dwLength is off by this number of bytes.
        case wrongLength(Int)
        /// The answer's dwLength claims four billion bytes.
        case hugeLength
        /// The answer is cut to this number of bytes; its dwLength is unchanged.
        case truncated(Int)
        /// The command is executed and never answered.
        case unanswered
        /// The card is removed after it received the command and before the answer is sent.
        case cardRemoved
        /// The reader is unplugged after it received the command.
        case unplugged
    }

    /// The nth command from now, counted from 1, of any type.
    case command(Int, Disturbance)
    /// The nth XfrBlock from now, counted from 1.
    case xfrBlock(Int, Disturbance)
    /// The reader is unplugged after this number of bulk transfers in both directions.
    case unplugged(afterBulkTransfers: Int)
    /// The reader reports an overcurrent on a slot now (HardwareError, CCID 1.1 §6.3.2).
    case hardwareError(slot: UInt8)
    /// The firmware hangs now: it accepts commands without answering until a bus reset, or until the reader is
    /// plugged in again.
    case hang(untilReset: Bool)
}

/// The armed faults of a reader, counted down as commands and transfers pass.
struct ReaderFaults: Sendable {
    private(set) var armed: [SimulatedReaderFault] = []

    mutating func arm(_ fault: SimulatedReaderFault) { armed.append(fault) }

    /// Counts a command.
    ///
    /// - Returns: the faults that apply to it, in the order of arming.
    mutating func commandPasses(isXfrBlock: Bool) -> [SimulatedReaderFault.Disturbance] {
        count { fault in
            switch fault {
            case .command(let number, let disturbance): (number, disturbance)
            case .xfrBlock(let number, let disturbance) where isXfrBlock: (number, disturbance)
            default: nil
            }
        } again: { fault, number in
            if case .command(_, let disturbance) = fault { return .command(number, disturbance) }
            if case .xfrBlock(_, let disturbance) = fault { return .xfrBlock(number, disturbance) }
            return fault
        }
    }

    /// Counts a bulk transfer.
    ///
    /// - Returns: whether the reader is unplugged now.
    mutating func bulkTransferPasses() -> Bool {
        let fired = count { fault in
            if case .unplugged(let number) = fault { (number, .unplugged) } else { nil }
        } again: { _, number in
            .unplugged(afterBulkTransfers: number)
        }
        return !fired.isEmpty
    }

    private mutating func count(
        _ matching: (SimulatedReaderFault) -> (Int, SimulatedReaderFault.Disturbance)?,
        again: (SimulatedReaderFault, Int) -> SimulatedReaderFault
    ) -> [SimulatedReaderFault.Disturbance] {
        var fired: [SimulatedReaderFault.Disturbance] = []
        var remaining: [SimulatedReaderFault] = []
        for fault in armed {
            guard let (number, disturbance) = matching(fault) else {
                remaining.append(fault)
                continue
            }
            if number <= 1 { fired.append(disturbance) } else { remaining.append(again(fault, number - 1)) }
        }
        armed = remaining
        return fired
    }
}

/// The defects of a simulated reader, as data: each field is one fault known from real firmware. The default value is
/// a reader without defects.
public struct ReaderMisbehavior: Hashable, Sendable {
    /// A command that arrives sooner than this after power-up or a bus reset hangs the firmware.
    public var deafTime: Duration = .zero
    /// The reader claims a PIN pad but refuses every PIN entry.
    public var hasNoKeys = false
    /// The only accepted value of bNumberMessage in a PIN entry.
    public var pinMessages: UInt8?
    /// The reader reads the two bytes of wPINMaxExtraDigit in the wrong order.
    public var swapsPINDigits = false
    /// The exchange level the firmware really implements, whatever dwFeatures claims.
    public var level: SimulatedReaderModel.ExchangeLevel?
    /// The longest part of a chained answer, in bytes.
    public var partLength: Int?
    /// The highest reliable data rate in bit/s; above it every card exchange ends with a parity error.
    public var reliableDataRate: Int?
    /// The reader never answers a PPS.
    public var hangsOnProtocolSelection = false
    /// The reader never answers S(IFS request).
    public var hangsOnIFSDNegotiation = false
    /// An answer that exactly fills its last packet is never sent.
    public var hangsOnFullPackets = false
    /// The longest message the firmware accepts, whatever dwMaxCCIDMessageLength claims; it stalls a longer one.
    public var messageLength: Int?
    /// The number of slots that bMaxSlotIndex claims.
    public var claimedSlotCount: Int?
    /// The number of NotifySlotChange messages after which no more are sent.
    public var maximumNotices: Int?
    /// A meaningless notification sent before each NotifySlotChange.
    public var extraNotice: [UInt8]?
    /// An ABORT, by request or by message, kills the firmware until the reader is plugged in again.
    public var diesOnAbort = false
    /// The reader and its companions hang if one gets a command while another is busy.
    public var hangsWhenShared = false
    /// Class requests on the control endpoint stall.
    public var hasNoClassRequests = false
    /// bInterfaceClass.
    public var interfaceClass: UInt8 = 0x0B
    /// The firmware hangs until a bus reset if the host closed it for this long and the kernel suspended it.
    public var hangsAfterSuspendOf: Duration?
    /// The reader reports an inserted card as active before it is powered.
    public var reportsNewCardsActive = false
    /// The reader reports success for XfrBlock without a card.
    public var reportsSuccessWithoutCard = false
    /// Bytes that follow the header of a failed PowerOn.
    public var bytesAfterFailure: [UInt8] = []
    /// The reader reports success with an empty answer for commands with this instruction byte.
    public var emptyAnswerInstruction: UInt8?
    /// The reader takes Escape commands, and never answers them.
    public var answersNoEscape = false
    /// The endpoints are listed in reverse order.
    public var reversesEndpoints = false
    /// bcdCCID.
    public var classRelease: UInt16 = 0x0110

    /// Creates a reader without defects.
    public init() {}
}

/// Defects that take effect before the firmware looks at a command.
extension SimulatedReaderFirmware {
    /// Returns whether the firmware takes a command. Some commands make it hang.
    mutating func isAwake(for command: ReaderCommand, at now: Timestamp) -> Bool {
        let fault = model.misbehavior
        if now < started.advanced(by: fault.deafTime) || hangs(on: command) { isHanging = true }
        if command.type == 0x72, fault.diesOnAbort { isDead = true }
        return !isHanging && !isDead && !(command.type == 0x6B && fault.answersNoEscape)
    }

    private func hangs(on command: ReaderCommand) -> Bool {
        let fault = model.misbehavior
        guard command.type == 0x6F, model.actualLevel == .tpdu else { return false }
        // A PPS starts with FF, which is no class byte; S(IFS request) has the control byte C1.
        return fault.hangsOnProtocolSelection && command.data.first == 0xFF
            || fault.hangsOnIFSDNegotiation && command.data.count == 5 && command.data[1] == 0xC1
    }

    /// Handles the resume after the host had the device closed and the kernel suspended it.
    mutating func wake(afterClosedFor pause: Duration) {
        if let limit = model.misbehavior.hangsAfterSuspendOf, pause >= limit { isHanging = true }
    }

    /// Returns whether exchanges with a card fail at the data rate that the host has set.
    static func isTooFast(_ parameters: ReaderParameters, _ model: SimulatedReaderModel) -> Bool {
        guard let limit = model.misbehavior.reliableDataRate, let byte = parameters.bytes.first,
            let rate = TransmissionRate(rateByte: byte)
        else { return false }
        return Int(SimulatedReaderModel.clock) * 1000 * rate.baudRateAdjustment / rate.clockRateConversion > limit
    }
}
