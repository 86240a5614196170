/// bMessageType of what the driver sends on bulk OUT (CCID 1.1 §6.1).
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

    /// Whether sending the command a second time can do no harm: it brings the card no data. A card that was activated
    /// by the first one gets a warm reset by the second.
    var isRepeatable: Bool {
        switch self {
        case .powerOn, .powerOff, .getSlotStatus, .getParameters, .setParameters: true
        case .transferBlock, .secure, .escape, .abort: false
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
