/// A deviation of a reader from CCID 1.1 or from its own descriptors that the driver has to know beforehand. What it
/// can find out by itself is a ``ToleratedFault``.
public enum ReaderQuirk: Hashable, Sendable {
    /// The firmware loses or damages data: the reader is not opened. `fix` says what the merchant can do.
    case refusedFirmware(fix: String)
    /// The firmware hangs on a command that arrives sooner than this after power-up, opening, or reset.
    case startPause(Duration)
    /// The first answer after opening or a reset takes up to this long.
    case firstAnswer(Duration)
    /// bPINSupport claims keys that do not exist, or that also send the PIN to the host.
    case noPINPad
    /// The only value that the firmware accepts in bNumberMessage of a PIN entry (CCID 1.1 §6.1.11.2).
    case pinMessages(UInt8)
    /// The firmware reads the two bytes of wPINMaxExtraDigit in the opposite order.
    case swappedPINDigits
    /// dwFeatures names another exchange level than the firmware has.
    case exchangeLevel(CCIDExchangeLevel)
    /// The fastest exchange with a card that works, bit/s, whatever dwMaxDataRate says.
    case maximumDataRate(UInt32)
    /// The firmware does not forward a PPS.
    case noProtocolSelection
    /// The longest T=1 information field that a card may send to the reader, whatever dwMaxIFSD says.
    case informationFieldSize(UInt8)
    /// The reader or the card in it fails on S(IFS request).
    case noIFSDNegotiation
    /// The longest message that the firmware accepts, header included, whatever dwMaxCCIDMessageLength says.
    case messageLength(UInt32)
    /// The number of slots, whatever bMaxSlotIndex says.
    case slotCount(UInt8)
    /// Notifications of inserted and removed cards get lost: the driver polls the slot.
    case polled
    /// The firmware does not survive ABORT, neither the request nor the message.
    case noAbort
    /// A device with an interface for each slot hangs when two of them are used at a time.
    case oneInterfaceAtATime
    /// The interface has class FF and is CCID: it is older than the class code 0B.
    case vendorSpecificClass
    /// The device does not resume by itself from USB suspend.
    case noAutosuspend

    /// The kind of a quirk, without its value. The raw value is the key in a till's configuration.
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
    /// How the driver handles it, in a few words.
    public var description: String {
        switch self {
        case .refusedFirmware(let fix): "not used: \(fix)"
        case .startPause(let pause): "pauses \(Self.text(pause)) after opening or reset"
        case .firstAnswer(let wait): "waits up to \(Self.text(wait)) for the first answer"
        case .noPINPad: "PIN pad not used"
        case .pinMessages(let count): "shows \(Self.text(count, "message")) during PIN entry"
        case .swappedPINDigits: "minimum and maximum PIN length swapped"
        case .exchangeLevel(let level): "used at \(level) level"
        case .maximumDataRate(let rate): "limited to \(rate) bit/s"
        case .noProtocolSelection: "uses the card's first protocol, without PPS"
        case .informationFieldSize(let size): "cards send blocks of at most \(size) bytes"
        case .noIFSDNegotiation: "no IFSD negotiation with cards"
        case .messageLength(let length): "messages of at most \(length) bytes"
        case .slotCount(let count): "used as a reader with \(Self.text(count, "slot"))"
        case .polled: "slot status polled four times per second"
        case .noAbort: "reset instead of aborted"
        case .oneInterfaceAtATime: "one slot used at a time"
        case .vendorSpecificClass: "used as a CCID reader despite its class code"
        case .noAutosuspend: "reset when opened, and excluded from USB autosuspend"
        }
    }

    private static func text(_ count: UInt8, _ noun: String) -> String { "\(count) \(noun)" + (count == 1 ? "" : "s") }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

/// The quirks of one reader: the rows of a ``ReaderQuirkTable`` that apply to it, combined.
public struct ReaderQuirks: Hashable, Sendable {
    /// At most one of each kind, in the order of the kinds.
    public let all: [ReaderQuirk]

    /// No quirk.
    public static let none = ReaderQuirks([])

    /// - Parameter quirks: at most one of each kind.
    init(_ quirks: [ReaderQuirk]) { all = quirks }

    /// Whether there is a quirk of this kind.
    public func contains(_ kind: ReaderQuirk.Kind) -> Bool { all.contains { $0.kind == kind } }

    /// The fix for refused firmware; nil when the firmware is accepted.
    var refusal: String? {
        for case .refusedFirmware(let fix) in all { return fix }
        return nil
    }

    /// Returns the class descriptor with the corrections of the quirks.
    func effective(_ claimed: CCIDClassDescriptor) -> CCIDClassDescriptor {
        var descriptor = claimed
        for quirk in all {
            switch quirk {
            case .noPINPad: descriptor.pinSupport = []
            case .exchangeLevel(let level): descriptor.rawFeatures = descriptor.features.rawValue | level.rawValue
            case .maximumDataRate(let rate): descriptor.maximumDataRate = min(descriptor.maximumDataRate, rate)
            case .informationFieldSize(let size): descriptor.maximumIFSD = UInt32(size)
            // A reader that announces the size itself is left alone with it.
            case .noIFSDNegotiation: descriptor.rawFeatures |= CCIDFeatures.automaticIFSD.rawValue
            case .messageLength(let length): descriptor.maximumMessageLength = length
            case .slotCount(let count): descriptor.maximumSlotIndex = max(count, 1) - 1
            case .refusedFirmware, .startPause, .firstAnswer, .pinMessages, .swappedPINDigits, .noProtocolSelection,
                .polled, .noAbort, .oneInterfaceAtATime, .vendorSpecificClass, .noAutosuspend:
                break
            }
        }
        // A PIN entry carries a command or a block, and at character level there is neither.
        if descriptor.level == .character { descriptor.pinSupport = [] }
        return descriptor
    }
}

/// The driver's settings for one reader: the quirks that do not correct its descriptor.
struct ReaderBehavior: Hashable, Sendable {
    /// After opening and after a reset, before the first command.
    var startPause = Duration.zero
    /// For the first answer after opening.
    var firstAnswer: Duration
    /// For the first answer after a reset.
    var answerAfterReset: Duration
    /// bNumberMessage of a PIN entry; nil derives it from the display.
    var pinMessages: UInt8?
    var swapsPINDigits = false
    var selectsProtocol = true
    var heedsNotifications = true
    var usesAbort = true
    /// Claims every reader interface of the device, so that no other program uses one meanwhile.
    var takesEveryInterface = false
    var isResetWhenOpened = false

    init(_ quirks: ReaderQuirks, _ timing: CCIDTiming) {
        (firstAnswer, answerAfterReset) = (timing.command, max(timing.command, timing.restart))
        for quirk in quirks.all {
            switch quirk {
            case .startPause(let pause): startPause = pause
            case .firstAnswer(let wait):
                (firstAnswer, answerAfterReset) = (max(firstAnswer, wait), max(answerAfterReset, wait))
            case .pinMessages(let count): pinMessages = count
            case .swappedPINDigits: swapsPINDigits = true
            case .noProtocolSelection: selectsProtocol = false
            case .polled: heedsNotifications = false
            case .noAbort: usesAbort = false
            case .oneInterfaceAtATime: takesEveryInterface = true
            case .noAutosuspend: isResetWhenOpened = true
            case .refusedFirmware, .noPINPad, .exchangeLevel, .maximumDataRate, .informationFieldSize,
                .noIFSDNegotiation, .messageLength, .slotCount, .vendorSpecificClass:
                break
            }
        }
    }
}
