public import SmartCard
public import USB

/// Why a reader or the card in it did not do what was asked.
public enum CCIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device is no usable CCID reader.
    case descriptor(CCIDDescriptorError)
    /// The reader's firmware is known to fail (``ReaderQuirk/refusedFirmware(fix:)``).
    case firmwareRefused(ReaderRelease, fix: String)
    /// A USB transfer failed.
    case usb(USBError)
    /// The reader was unplugged.
    case readerGone
    /// The reader answers nothing, not even after a reset of the device.
    case readerDead
    /// The machine slept since the card was powered: what became of the card and the reader is unknown.
    case suspended
    /// The reader was closed by the program.
    case closed
    /// The reader has no slot with this number.
    case noSuchSlot(UInt8)
    /// The task was cancelled. The reader is idle.
    case cancelled
    /// No answer in time. The reader is idle.
    case timedOut(CCIDCommandType)
    /// The reader's answer is no CCID message.
    case message(CCIDMessageError)
    /// The answer's type does not belong to the command.
    case unexpectedAnswer(command: CCIDCommandType, answer: CCIDResponseType)
    /// No answer in time but such as name another slot.
    case wrongSlot(expected: UInt8, actual: UInt8)
    /// No answer in time but such as have another message's sequence number, the last of which was `actual`.
    case wrongSequence(expected: UInt8, actual: UInt8)
    /// A second, different answer came to a message: the one that was taken may have been another program's.
    case answeredTwice(UInt8)
    /// Empty transfers, answers to other messages or time extensions without an end.
    case noEnd(CCIDCommandType)
    /// The reader failed the command.
    case failed(CCIDCommandType, CCIDSlotError)
    /// The reader's notice of a hardware error; code 1 is overcurrent.
    case hardwareFault(slot: UInt8, code: UInt8)
    /// No card in the slot.
    case cardAbsent
    /// The card is there without power: it was inserted anew, or the reader switched it off.
    case cardNotPowered
    /// The card answers at no voltage, or no longer.
    case cardMute
    /// The answer to reset breaks the rules of payment cards, after a warm reset too.
    case answerToReset(EMVATRRules.Reason)
    /// Reader and card have no transmission protocol in common.
    case noCommonProtocol
    /// The card did not confirm the protocol and parameters that were asked for.
    case protocolSelectionRefused
    /// The reader cannot carry commands of extended length.
    case extendedLengthNotSupported
    /// A T=0 exchange failed.
    case t0(T0Error)
    /// A T=1 exchange failed.
    case t1(T1Error)
    /// The messages of an answer in several parts do not fit each other; bChainParameter of the one that does not.
    case brokenChain(UInt8)
    /// The card's answer is no APDU.
    case response(APDUError)

    public var description: String {
        switch self {
        case .descriptor(let error): error.description
        case .firmwareRefused(let release, let fix):
            "firmware \(release) of the card reader is known to fail with cards: \(fix)"
        case .usb(let error): error.description
        case .readerGone: "the card reader is gone: plug it in again"
        case .readerDead: "the card reader does not answer any more, not even after a reset: plug it in again"
        case .suspended: "the machine slept meanwhile: the card has to be powered again"
        case .closed: "the card reader was closed"
        case .noSuchSlot(let slot): "the card reader has no slot \(slot)"
        case .cancelled: "the exchange with the card reader was cancelled"
        case .timedOut(let command): "the card reader did not answer \(command) in time"
        case .message(let error): "the card reader sent a malformed message: \(error)"
        case .unexpectedAnswer(let command, let answer): "the card reader answered \(command) with \(answer)"
        case .wrongSlot(let expected, let actual):
            "the card reader answered for slot \(actual) when slot \(expected) was asked"
        case .wrongSequence(let expected, let actual):
            "the card reader answered message \(actual) when message \(expected) was sent"
        case .answeredTwice(let message):
            "the card reader answered message \(message) twice, and differently: let no other program use it meanwhile"
        case .noEnd(let command): "the card reader comes to no end of \(command)"
        case .failed(let command, let error): "the card reader failed \(command): \(error)"
        case .hardwareFault(let slot, let code):
            code == 1
                ? "overcurrent in slot \(slot) of the card reader: take the card out"
                : "hardware error \(code) in slot \(slot) of the card reader"
        case .cardAbsent: "no card in the reader"
        case .cardNotPowered: "the card in the reader has no power"
        case .cardMute: "the card does not answer: insert it again, chip first"
        case .answerToReset(let reason): "the card cannot be used here: \(reason)"
        case .noCommonProtocol: "card and reader have no transmission protocol in common"
        case .protocolSelectionRefused: "the card refused the protocol parameters"
        case .extendedLengthNotSupported: "this card reader carries no commands of extended length"
        case .t0(let error): error.description
        case .t1(let error): error.description
        case .brokenChain(let parameter):
            "the card reader's answer in parts is out of order (bChainParameter \(parameter))"
        case .response(let error): error.description
        }
    }
}
