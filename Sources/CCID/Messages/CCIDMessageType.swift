/// bMessageType of what the host sends on bulk OUT (CCID 1.1 §6.1).
public enum CCIDCommandType: UInt8, Hashable, Sendable, CaseIterable {
    case setParameters = 0x61
    case powerOn = 0x62
    case powerOff = 0x63
    case getSlotStatus = 0x65
    case secure = 0x69
    case t0APDU = 0x6A
    case escape = 0x6B
    case getParameters = 0x6C
    case resetParameters = 0x6D
    case clock = 0x6E
    case transferBlock = 0x6F
    case mechanical = 0x71
    case abort = 0x72
    case setDataRateAndClockFrequency = 0x73

    /// The type of the message that answers this one when it succeeds.
    public var answer: CCIDResponseType {
        switch self {
        case .powerOn, .transferBlock, .secure: .dataBlock
        case .powerOff, .getSlotStatus, .clock, .t0APDU, .mechanical, .abort: .slotStatus
        case .getParameters, .resetParameters, .setParameters: .parameters
        case .escape: .escape
        case .setDataRateAndClockFrequency: .dataRateAndClockFrequency
        }
    }

    /// Whether the command goes to the card that the host powered.
    var needsPower: Bool { self == .transferBlock || self == .secure }

    /// Whether sending the command a second time can do no harm: it neither reaches the card with data
    /// nor moves anything.
    var isRepeatable: Bool {
        switch self {
        case .powerOn, .powerOff, .getSlotStatus, .getParameters, .resetParameters, .setParameters: true
        case .clock, .setDataRateAndClockFrequency: true
        case .transferBlock, .secure, .escape, .t0APDU, .mechanical, .abort: false
        }
    }
}

/// bMessageType of what the reader answers on bulk IN (CCID 1.1 §6.2).
public enum CCIDResponseType: UInt8, Hashable, Sendable, CaseIterable {
    case dataBlock = 0x80
    case slotStatus = 0x81
    case parameters = 0x82
    case escape = 0x83
    case dataRateAndClockFrequency = 0x84
}
