/// A command to a reader, without its slot and sequence number (CCID 1.1 §6.1).
///
/// Its description names lengths only: a block may hold a PIN.
public enum CCIDCommand: Hashable, Sendable, CustomStringConvertible {
    case powerOn(CCIDPowerSelection)
    case powerOff
    case getSlotStatus
    /// `waitingTimeMultiplier` is bBWI: multiplies the block waiting time for this block; 0 as 1.
    case transferBlock([UInt8], waitingTimeMultiplier: UInt8 = 0, level: CCIDLevelParameter = .whole)
    /// XfrBlock at character level: wLevelParameter is how many bytes of the card are wanted back (CCID 1.1 §6.1.4).
    case transferCharacters([UInt8], expecting: UInt16, waitingTimeMultiplier: UInt8 = 0)
    case getParameters
    case setParameters(CCIDParameters)
    /// A maker's own command.
    case escape([UInt8])
    /// PIN entry on the reader; the data is a PIN operation and its structure.
    case secure([UInt8], waitingTimeMultiplier: UInt8 = 0, level: CCIDLevelParameter = .whole)
    case abort

    /// bMessageType
    public var type: CCIDCommandType {
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

    public var description: String {
        switch self {
        case .transferBlock(let data, _, _), .transferCharacters(let data, _, _), .escape(let data),
            .secure(let data, _, _):
            "\(type) of \(data.count) bytes"
        default: "\(type)"
        }
    }

    /// Replaces what `message` holds by this command, keeping its storage.
    func encode(into message: inout [UInt8], slot: UInt8, sequence: UInt8) {
        message.removeAll(keepingCapacity: true)
        switch self {
        case .powerOn(let selection): header(&message, slot, sequence, selection.rawValue)
        case .powerOff, .getSlotStatus, .getParameters, .abort: header(&message, slot, sequence)
        case .transferBlock(let data, let multiplier, let level), .secure(let data, let multiplier, let level):
            header(
                &message, slot, sequence, multiplier, UInt8(truncatingIfNeeded: level.rawValue),
                UInt8(truncatingIfNeeded: level.rawValue >> 8), count: data.count)
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
