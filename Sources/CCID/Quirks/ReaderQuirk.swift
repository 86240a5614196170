/// Something that a reader does otherwise than CCID 1.1 and its own descriptors say, and that the driver has to be
/// told beforehand. What it can find out by itself is a ``BorneFault``.
public enum ReaderQuirk: Hashable, Sendable {
    /// The firmware loses or damages what it carries: the reader is not opened. `fix` says what the shop can do.
    case refusedFirmware(fix: String)
    /// The firmware hangs on a command that comes sooner than this after the reader got power, was opened or was reset.
    case startPause(Duration)
    /// The first answer after opening or a reset takes up to this long.
    case firstAnswer(Duration)
    /// bPINSupport claims keys that are not there, or that do not keep the PIN to themselves.
    case noPINPad
    /// The one value that the firmware takes in bNumberMessage of a PIN entry (CCID 1.1 §6.1.11.2).
    case pinMessages(UInt8)
    /// The firmware reads the two bytes of wPINMaxExtraDigit the other way round.
    case swappedPINDigits
    /// dwFeatures names another exchange level than the firmware has.
    case exchangeLevel(CCIDExchangeLevel)
    /// The fastest exchange with a card that works, bit/s, whatever dwMaxDataRate says.
    case maximumDataRate(UInt32)
    /// The firmware carries no PPS.
    case noProtocolSelection
    /// The longest T=1 information field that the reader may be sent by a card, whatever dwMaxIFSD says.
    case informationFieldSize(UInt8)
    /// The reader or the card in it does not bear S(IFS request).
    case noIFSDNegotiation
    /// The longest message that the firmware takes, header included, whatever dwMaxCCIDMessageLength says.
    case messageLength(UInt32)
    /// The number of slots, whatever bMaxSlotIndex says.
    case slotCount(UInt8)
    /// Cards come and go without a notification now and then: the slot has to be looked at.
    case polled
    /// The firmware does not survive ABORT, neither the request nor the message.
    case noAbort
    /// A device with an interface for each slot hangs when two of them are used at a time.
    case oneInterfaceAtATime
    /// The interface says class FF, and is CCID: older than the class code 0B.
    case vendorSpecificClass
    /// The device does not come back by itself from a USB suspend.
    case noAutosuspend

    /// What a quirk is about, without its figure. The raw value is the key in a till's configuration.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case refusedFirmware, startPause, firstAnswer, noPINPad, pinMessages, swappedPINDigits, exchangeLevel
        case maximumDataRate, noProtocolSelection, informationFieldSize, noIFSDNegotiation, messageLength, slotCount
        case polled, noAbort, oneInterfaceAtATime, vendorSpecificClass, noAutosuspend
    }

    public var kind: Kind {
        switch self {
        case .refusedFirmware: .refusedFirmware
        case .startPause: .startPause
        case .firstAnswer: .firstAnswer
        case .noPINPad: .noPINPad
        case .pinMessages: .pinMessages
        case .swappedPINDigits: .swappedPINDigits
        case .exchangeLevel: .exchangeLevel
        case .maximumDataRate: .maximumDataRate
        case .noProtocolSelection: .noProtocolSelection
        case .informationFieldSize: .informationFieldSize
        case .noIFSDNegotiation: .noIFSDNegotiation
        case .messageLength: .messageLength
        case .slotCount: .slotCount
        case .polled: .polled
        case .noAbort: .noAbort
        case .oneInterfaceAtATime: .oneInterfaceAtATime
        case .vendorSpecificClass: .vendorSpecificClass
        case .noAutosuspend: .noAutosuspend
        }
    }
}

extension ReaderQuirk: CustomStringConvertible {
    /// What the driver does about it, in a few words.
    public var description: String {
        switch self {
        case .refusedFirmware(let fix): "not used: \(fix)"
        case .startPause(let pause): "left alone for \(Self.text(pause)) after it was opened or reset"
        case .firstAnswer(let wait): "given \(Self.text(wait)) for its first answer"
        case .noPINPad: "its PIN pad is not used"
        case .pinMessages(let count): "told to show \(Self.text(count, "message")) when it asks for a PIN"
        case .swappedPINDigits: "told the fewest and most digits of a PIN in the other order"
        case .exchangeLevel(let level): "used at \(level) level"
        case .maximumDataRate(let rate): "kept at \(rate) bit/s or below"
        case .noProtocolSelection: "used with what cards offer first, without PPS"
        case .informationFieldSize(let size): "cards are told to send blocks of \(size) bytes or fewer"
        case .noIFSDNegotiation: "cards are not told how long their blocks may be"
        case .messageLength(let length): "sent messages of \(length) bytes or fewer"
        case .slotCount(let count): "used as a reader with \(Self.text(count, "slot"))"
        case .polled: "its slot is looked at four times a second"
        case .noAbort: "reset instead of told to abort"
        case .oneInterfaceAtATime: "held as a whole while one of its slots is used"
        case .vendorSpecificClass: "taken for a CCID reader although it does not say so"
        case .noAutosuspend: "reset when it is opened, and kept from USB autosuspend"
        }
    }

    private static func text(_ count: UInt8, _ noun: String) -> String { "\(count) \(noun)" + (count == 1 ? "" : "s") }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
