public import SmartCard
public import USB

/// An error of a CCID reader or of the card in it.
public enum CCIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device is not a usable CCID reader.
    case descriptor(CCIDDescriptorError)
    /// The reader's firmware is known to be faulty (``ReaderQuirk/refusedFirmware(fix:)``).
    case firmwareRefused(ReaderRelease, fix: String)
    /// A USB transfer failed.
    case usb(USBError)
    /// The reader was unplugged.
    case readerGone
    /// The reader does not answer, not even after a device reset.
    case readerDead
    /// The machine was suspended since the card was powered: the state of the card and the reader is unknown.
    case suspended
    /// The program closed the reader.
    case closed
    /// The reader has no slot with this number.
    case noSuchSlot(UInt8)
    /// The task was canceled. The reader is idle.
    case canceled
    /// No answer in time. The reader is idle.
    case timedOut(CCIDCommandType)
    /// The reader's answer is not a CCID message.
    case message(CCIDMessageError)
    /// The answer's type does not belong to the command.
    case unexpectedAnswer(command: CCIDCommandType, answer: CCIDResponseType)
    /// No answer in time except answers for another slot.
    case wrongSlot(expected: UInt8, actual: UInt8)
    /// No answer in time except answers with another message's sequence number; `actual` is the last one's.
    case wrongSequence(expected: UInt8, actual: UInt8)
    /// A message got a second, different answer: the first one may belong to another program's command.
    case answeredTwice(UInt8)
    /// The reader keeps sending empty transfers, answers to other messages, or time extensions.
    case noEnd(CCIDCommandType)
    /// The reader reported that the command failed.
    case failed(CCIDCommandType, CCIDSlotError)
    /// The reader reported a hardware error (CCID 1.1 §6.3.2); code 1 is overcurrent.
    case hardwareFault(slot: UInt8, code: UInt8)
    /// No card in the slot.
    case cardAbsent
    /// The card is present without power: it was reinserted, or the reader powered it off.
    case cardNotPowered
    /// The card does not answer at any voltage, or stopped answering.
    case cardMute
    /// The answer to reset breaks the rules of payment cards, after a warm reset too.
    case answerToReset(EMVATRRules.Reason)
    /// Reader and card have no transmission protocol in common.
    case noCommonProtocol
    /// The card did not confirm the requested protocol and parameters.
    case protocolSelectionRefused
    /// The reader cannot carry commands of extended length.
    case extendedLengthNotSupported
    /// A T=0 exchange failed.
    case t0(T0Error)
    /// A T=1 exchange failed.
    case t1(T1Error)
    /// The parts of an answer are out of order; the value is bChainParameter of the first wrong part.
    case brokenChain(UInt8)
    /// The card's answer is not an APDU.
    case response(APDUError)

    public var description: String {
        switch self {
        case .descriptor(let error): error.description
        case .firmwareRefused(let release, let fix):
            "card reader firmware \(release) is known to fail with cards: \(fix)"
        case .usb(let error): error.description
        case .readerGone: "the card reader was unplugged: plug it in again"
        case .readerDead: "the card reader stopped answering, even after a reset: unplug it and plug it in again"
        case .suspended: "the computer was suspended: power the card on again"
        case .closed: "the card reader was closed"
        case .noSuchSlot(let slot): "the card reader has no slot \(slot)"
        case .canceled: "the exchange with the card reader was canceled"
        case .timedOut(let command): "the card reader did not answer \(command) in time"
        case .message(let error): "the card reader sent a malformed message: \(error)"
        case .unexpectedAnswer(let command, let answer): "the card reader answered \(command) with \(answer)"
        case .wrongSlot(let expected, let actual):
            "the card reader answered for slot \(actual) instead of slot \(expected)"
        case .wrongSequence(let expected, let actual):
            "the card reader answered message \(actual) instead of message \(expected)"
        case .answeredTwice(let message):
            "the card reader sent two different answers to message \(message): close other programs that use it"
        case .noEnd(let command): "the card reader does not finish \(command)"
        case .failed(let command, let error): "the card reader failed \(command): \(error)"
        case .hardwareFault(let slot, let code):
            code == 1
                ? "overcurrent in slot \(slot) of the card reader: remove the card"
                : "hardware error \(code) in slot \(slot) of the card reader"
        case .cardAbsent: "no card in the reader"
        case .cardNotPowered: "the card in the reader has no power"
        case .cardMute: "the card does not answer: insert it again, chip first"
        case .answerToReset(let reason): "the card cannot be used here: \(reason)"
        case .noCommonProtocol: "card and reader have no transmission protocol in common"
        case .protocolSelectionRefused: "the card refused the protocol parameters"
        case .extendedLengthNotSupported: "this card reader does not support extended-length commands"
        case .t0(let error): error.description
        case .t1(let error): error.description
        case .brokenChain(let parameter):
            "the parts of the card reader's answer are out of order (bChainParameter \(parameter))"
        case .response(let error): error.description
        }
    }
}

extension CCIDError {
    /// Whether the error is not that of one command: the reader is gone, or reports a fault of its hardware.
    var concernsWholeReader: Bool {
        switch self {
        case .readerGone, .hardwareFault: true
        default: false
        }
    }
}
