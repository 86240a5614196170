/// bError: why a reader failed a command (CCID 1.1 §6.2.6).
public enum CCIDSlotError: Hashable, Sendable, CustomStringConvertible {
    /// FF: the host aborted the command.
    case aborted
    /// FE: the card did not answer in time.
    case cardMute
    /// FD: parity error while talking with the card.
    case parity
    /// FC: the reader's buffer ran over.
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
    /// F4: a procedure byte does not fit.
    case procedureByteConflict
    /// F3: the protocol was deactivated.
    case deactivatedProtocol
    /// F2: an automatic sequence of the reader is going on.
    case busyWithAutoSequence
    /// F0: no PIN was entered in time.
    case pinTimeout
    /// EF: the PIN entry was cancelled.
    case pinCancelled
    /// E0: the slot is busy with another command.
    case slotBusy
    /// 00: the reader does not know the command.
    case commandNotSupported
    /// 01...7F: the field at this offset of the message is wrong or not supported.
    case badField(offset: UInt8)
    /// Any other code: the maker's own (81...C0) or reserved.
    case other(UInt8)

    private static let named: [(code: UInt8, error: CCIDSlotError)] = [
        (0xFF, .aborted), (0xFE, .cardMute), (0xFD, .parity), (0xFC, .overrun), (0xFB, .hardware),
        (0xF8, .badATRStart), (0xF7, .badATRCheck), (0xF6, .protocolNotSupported), (0xF5, .classNotSupported),
        (0xF4, .procedureByteConflict), (0xF3, .deactivatedProtocol), (0xF2, .busyWithAutoSequence),
        (0xF0, .pinTimeout), (0xEF, .pinCancelled), (0xE0, .slotBusy), (0x00, .commandNotSupported),
    ]

    /// The error with this code; every code has one.
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
        case .overrun: "the reader's buffer ran over"
        case .hardware: "the reader's hardware failed"
        case .badATRStart: "the card's answer to reset begins wrongly"
        case .badATRCheck: "the card's answer to reset has a wrong check character"
        case .protocolNotSupported: "the reader does not support the card's protocol"
        case .classNotSupported: "the reader does not support the command's class"
        case .procedureByteConflict: "the card sent a procedure byte that does not fit"
        case .deactivatedProtocol: "the protocol was deactivated"
        case .busyWithAutoSequence: "the reader is busy with a sequence of its own"
        case .pinTimeout: "no PIN was entered in time"
        case .pinCancelled: "the PIN entry was cancelled"
        case .slotBusy: "the slot is busy"
        case .commandNotSupported: "the reader does not support the command"
        case .badField(let offset): "the reader refuses byte \(offset) of the message"
        case .other(let code): "reader error 0x\(String(code, radix: 16))"
        }
    }
}
