/// A command to a reader, without its slot and sequence number (CCID 1.1 §6.1).
///
/// Its description names lengths only: a block may hold a PIN.
enum CCIDCommand: Hashable, Sendable, CustomStringConvertible {
    case powerOn(CCIDPowerSelection)
    case powerOff
    case getSlotStatus
    /// `waitingTimeMultiplier` is bBWI: multiplies the block waiting time for this block; 0 as 1.
    case transferBlock([UInt8], waitingTimeMultiplier: UInt8 = 0, level: CCIDChainParameter = .whole)
    /// XfrBlock at character level: wLevelParameter is the number of bytes expected from the card (CCID 1.1 §6.1.4).
    case transferCharacters([UInt8], expecting: UInt16, waitingTimeMultiplier: UInt8 = 0)
    case getParameters
    case setParameters(CCIDParameters)
    /// A vendor command.
    case escape([UInt8])
    /// PIN entry on the reader; the data is a PIN operation and its structure.
    case secure([UInt8], waitingTimeMultiplier: UInt8 = 0, level: CCIDChainParameter = .whole)
    case abort

    /// bMessageType
    var type: CCIDCommandType {
        switch self {
        case .powerOn: .powerOn
        case .powerOff: .powerOff
        case .getSlotStatus: .getSlotStatus
        case .transferBlock, .transferCharacters: .transferBlock
        case .getParameters: .getParameters
        case .setParameters: .setParameters
        case .escape: .escape
        case .secure: .secure
        case .abort: .abort
        }
    }

    var description: String {
        switch self {
        case .transferBlock(let data, _, _), .transferCharacters(let data, _, _), .escape(let data),
            .secure(let data, _, _):
            "\(type) of \(data.count) bytes"
        default: "\(type)"
        }
    }

    /// Replaces the content of `message` with this command, reusing its storage.
    func encode(into message: inout [UInt8], slot: UInt8, sequence: UInt8) {
        message.removeAll(keepingCapacity: true)
        switch self {
        case .powerOn(let selection): header(&message, slot, sequence, selection.rawValue)
        case .powerOff, .getSlotStatus, .getParameters, .abort: header(&message, slot, sequence)
        case .transferBlock(let data, let multiplier, let level), .secure(let data, let multiplier, let level):
            header(&message, slot, sequence, multiplier, level.rawValue, count: data.count)
            message += data
        case .transferCharacters(let data, let count, let multiplier):
            header(
                &message, slot, sequence, multiplier, UInt8(truncatingIfNeeded: count),
                UInt8(truncatingIfNeeded: count >> 8), count: data.count)
            message += data
        case .setParameters(let parameters):
            let data = parameters.bytes
            header(&message, slot, sequence, parameters.protocolNumber, count: data.count)
            message += data
        case .escape(let data):
            header(&message, slot, sequence, count: data.count)
            message += data
        }
    }

    private func header(
        _ message: inout [UInt8], _ slot: UInt8, _ sequence: UInt8, _ byte7: UInt8 = 0, _ byte8: UInt8 = 0,
        _ byte9: UInt8 = 0, count: Int = 0
    ) {
        message.reserveCapacity(10 + count)
        message.append(type.rawValue)
        message.appendLittleEndian(UInt32(clamping: count))
        message.append(slot)
        message.append(sequence)
        message.append(byte7)
        message.append(byte8)
        message.append(byte9)
    }
}

/// bMessageType of a command on bulk OUT (CCID 1.1 §6.1).
public enum CCIDCommandType: UInt8, Hashable, Sendable, CaseIterable {
    case setParameters = 0x61
    case powerOn = 0x62
    case powerOff = 0x63
    case getSlotStatus = 0x65
    case secure = 0x69
    case escape = 0x6B
    case getParameters = 0x6C
    case transferBlock = 0x6F
    case abort = 0x72

    /// The type of the message that answers this one when it succeeds.
    public var answer: CCIDResponseType {
        switch self {
        case .powerOn, .transferBlock, .secure: .dataBlock
        case .powerOff, .getSlotStatus, .abort: .slotStatus
        case .getParameters, .setParameters: .parameters
        case .escape: .escape
        }
    }

    /// Whether the command goes to the card that the host powered.
    var needsPower: Bool { self == .transferBlock || self == .secure }

    /// Whether the command can safely be sent twice: it brings the card no data. A card that was activated
    /// by the first one gets a warm reset by the second.
    var isRepeatable: Bool {
        switch self {
        case .powerOn, .powerOff, .getSlotStatus, .getParameters, .setParameters: true
        case .transferBlock, .secure, .escape, .abort: false
        }
    }
}

/// bMessageType of an answer on bulk IN (CCID 1.1 §6.2).
public enum CCIDResponseType: UInt8, Hashable, Sendable, CaseIterable {
    case dataBlock = 0x80
    case slotStatus = 0x81
    case parameters = 0x82
    case escape = 0x83
    case dataRateAndClockFrequency = 0x84
}

/// bPowerSelect: the voltage to power a card with (CCID 1.1 §6.1.1).
enum CCIDPowerSelection: UInt8, Hashable, Sendable {
    case automatic = 0
    case volts5 = 1
    case volts3 = 2
    case volts1_8 = 3
}

/// The place of a message in a command or an answer at extended APDU level: wLevelParameter (CCID 1.1 §6.1.4) and
/// bChainParameter (CCID 1.1 §6.2.1).
enum CCIDChainParameter: UInt8, Hashable, Sendable {
    /// The command or answer begins and ends here; 0 also at every other level.
    case whole = 0x00
    /// It begins here and continues.
    case begins = 0x01
    /// It ends here.
    case ends = 0x02
    /// Neither its beginning nor its end.
    case continues = 0x03
    /// No data: requests the next part of the other side's message.
    case awaitsMore = 0x10
}

/// The protocol data structure of a slot: its protocol parameters (CCID 1.1 §6.1.7).
enum CCIDParameters: Hashable, Sendable {
    case t0(CCIDT0Parameters)
    case t1(CCIDT1Parameters)

    /// bProtocolNum
    var protocolNumber: UInt8 {
        switch self {
        case .t0: 0
        case .t1: 1
        }
    }

    /// abProtocolDataStructure: 5 bytes for T=0, 7 for T=1.
    var bytes: [UInt8] {
        switch self {
        case .t0(let parameters): parameters.bytes
        case .t1(let parameters): parameters.bytes
        }
    }
}

/// abProtocolDataStructure for T=0.
struct CCIDT0Parameters: Hashable, Sendable {
    /// bmFindexDindex: FI in the high half, DI in the low half, as in TA1.
    var rates: UInt8 = 0x11
    /// bmTCCKST0: b2 set means inverse convention.
    var convention: UInt8 = 0
    /// bGuardTimeT0: extra guard time in etu.
    var guardTime: UInt8 = 0
    /// bWaitingIntegerT0: WI.
    var waitingInteger: UInt8 = 10
    /// bClockStop: 0 not allowed, 1 low, 2 high, 3 either.
    var clockStop: UInt8 = 0

    var bytes: [UInt8] { [rates, convention, guardTime, waitingInteger, clockStop] }
}

/// abProtocolDataStructure for T=1.
struct CCIDT1Parameters: Hashable, Sendable {
    /// bmFindexDindex: FI in the high half, DI in the low half, as in TA1.
    var rates: UInt8 = 0x11
    /// bmTCCKST1: 10 plus b1 for CRC, b2 for inverse convention.
    var convention: UInt8 = 0x10
    /// bGuardTimeT1: extra guard time in etu.
    var guardTime: UInt8 = 0
    /// bmWaitingIntegersT1: BWI in the high half, CWI in the low half.
    var waitingIntegers: UInt8 = 0x4D
    /// bClockStop: 0 not allowed, 1 low, 2 high, 3 either.
    var clockStop: UInt8 = 0
    /// bIFSC
    var informationFieldSize: UInt8 = 32
    /// bNadValue
    var nodeAddress: UInt8 = 0

    var bytes: [UInt8] {
        [rates, convention, guardTime, waitingIntegers, clockStop, informationFieldSize, nodeAddress]
    }
}
