/// The first ten bytes of every answer (CCID 1.1 §6.2), checked against the length of the message.
struct CCIDResponseHeader: Hashable, Sendable {
    /// Length in bytes.
    static let length = 10

    let type: CCIDResponseType
    let slot: UInt8
    let sequence: UInt8
    let status: CCIDStatus
    /// Byte 9: bChainParameter, bClockStatus, bProtocolNum or reserved.
    let specific: UInt8

    /// - Throws: ``CCIDMessageError``
    init(message: [UInt8]) throws(CCIDMessageError) {
        guard message.count >= Self.length else { throw .tooShort(message.count) }
        let claimed = message.littleEndian32(at: 1)
        guard Int(claimed) == message.count - Self.length else {
            throw .wrongLength(claimed: claimed, actual: message.count - Self.length)
        }
        guard let type = CCIDResponseType(rawValue: message[0]) else { throw .unknownType(message[0]) }
        self.type = type
        (slot, sequence) = (message[5], message[6])
        status = try CCIDStatus(status: message[7], error: message[8])
        specific = message[9]
    }
}

/// The status of the card in a slot: the low two bits of bStatus (CCID 1.1 §6.2.6).
public enum CCIDCardStatus: UInt8, Hashable, Sendable {
    /// A card is present and powered.
    case active = 0
    /// A card is present without power.
    case inactive = 1
    /// No card.
    case absent = 2
}

/// The outcome of a command: the high two bits of bStatus with bError.
public enum CCIDOutcome: Hashable, Sendable {
    case done
    case failed(CCIDSlotError)
    /// The card requests `multiplier` times the waiting time; the answer is still to come.
    case timeExtension(multiplier: UInt8)

    /// Whether the slot still runs another command, or has only half of an abort (CCID 1.1 §6.2.6).
    var isUnfinished: Bool { self == .failed(.slotBusy) || self == .failed(.aborted) }
}

/// bStatus and bError of an answer.
public struct CCIDStatus: Hashable, Sendable {
    public var card: CCIDCardStatus
    public var outcome: CCIDOutcome

    /// Decodes bytes 7 and 8 of an answer.
    ///
    /// - Throws: ``CCIDMessageError/invalidField(name:offset:value:)`` for the reserved bit patterns.
    public init(status: UInt8, error: UInt8) throws(CCIDMessageError) {
        guard let card = CCIDCardStatus(rawValue: status & 3) else {
            throw .invalidField(name: "bmICCStatus", offset: 7, value: status)
        }
        self.card = card
        switch status >> 6 {
        case 0: outcome = .done
        case 1: outcome = .failed(CCIDSlotError(code: error))
        case 2: outcome = .timeExtension(multiplier: error)
        default: throw .invalidField(name: "bmCommandStatus", offset: 7, value: status)
        }
    }
}

/// bError: the reason why a command failed (CCID 1.1 §6.2.6).
public enum CCIDSlotError: Hashable, Sendable, CustomStringConvertible {
    /// FF: the host aborted the command.
    case aborted
    /// FE: the card did not answer in time.
    case cardMute
    /// FD: parity error while talking with the card.
    case parity
    /// FC: the reader's buffer overflowed.
    case overrun
    /// FB: the reader's hardware failed.
    case hardware
    /// F8: the first character of the ATR is wrong.
    case badATRStart
    /// F7: the check character of the ATR is wrong.
    case badATRCheck
    /// F6: the card's protocol is not supported.
    case protocolNotSupported
    /// F5: the class byte of the command is not supported.
    case classNotSupported
    /// F4: unexpected procedure byte.
    case procedureByteConflict
    /// F3: the protocol was deactivated.
    case deactivatedProtocol
    /// F2: the reader is running an automatic sequence.
    case busyWithAutoSequence
    /// F0: no PIN was entered in time.
    case pinTimeout
    /// EF: the PIN entry was canceled.
    case pinCanceled
    /// E0: the slot is busy with another command.
    case slotBusy
    /// 00: the reader does not know the command.
    case commandNotSupported
    /// 01...7F: the field at this offset of the message is wrong or not supported.
    case badField(offset: UInt8)
    /// Any other code: vendor-specific (81...C0) or reserved.
    case other(UInt8)

    private static let named: [(code: UInt8, error: CCIDSlotError)] = [
        (0xFF, .aborted), (0xFE, .cardMute), (0xFD, .parity), (0xFC, .overrun), (0xFB, .hardware),
        (0xF8, .badATRStart), (0xF7, .badATRCheck), (0xF6, .protocolNotSupported), (0xF5, .classNotSupported),
        (0xF4, .procedureByteConflict), (0xF3, .deactivatedProtocol), (0xF2, .busyWithAutoSequence),
        (0xF0, .pinTimeout), (0xEF, .pinCanceled), (0xE0, .slotBusy), (0x00, .commandNotSupported),
    ]

    /// Returns the error with this code; every code has one.
    public init(code: UInt8) {
        if let named = Self.named.first(where: { $0.code == code }) {
            self = named.error
        } else {
            self = code < 0x80 ? .badField(offset: code) : .other(code)
        }
    }

    /// bError
    public var code: UInt8 {
        switch self {
        case .badField(let offset): offset
        case .other(let code): code
        default: Self.named.first { $0.error == self }?.code ?? 0
        }
    }

    public var description: String {
        switch self {
        case .aborted: "the command was aborted"
        case .cardMute: "the card does not answer"
        case .parity: "parity error"
        case .overrun: "the reader's buffer overflowed"
        case .hardware: "the reader's hardware failed"
        case .badATRStart: "the first byte of the card's answer to reset is wrong"
        case .badATRCheck: "the card's answer to reset has a wrong check character"
        case .protocolNotSupported: "the reader does not support the card's protocol"
        case .classNotSupported: "the reader does not support the command's class"
        case .procedureByteConflict: "the card sent an unexpected procedure byte"
        case .deactivatedProtocol: "the protocol was deactivated"
        case .busyWithAutoSequence: "the reader is busy with an automatic sequence"
        case .pinTimeout: "no PIN was entered in time"
        case .pinCanceled: "the PIN entry was canceled"
        case .slotBusy: "the slot is busy"
        case .commandNotSupported: "the reader does not support the command"
        case .badField(let offset): "the reader refuses byte \(offset) of the message"
        case .other(let code): "reader error 0x\(String(code, radix: 16))"
        }
    }
}
