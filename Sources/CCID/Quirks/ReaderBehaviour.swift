/// What the driver does with one reader, besides what its descriptor says: the quirks that are no statement about the
/// descriptor, as the values that the driver works with.
struct ReaderBehaviour: Hashable, Sendable {
    /// After opening and after a reset, before the first command.
    var startPause = Duration.zero
    /// For the first answer after opening.
    var firstAnswer: Duration
    /// For the first answer after a reset.
    var answerAfterReset: Duration
    /// bNumberMessage of a PIN entry; nil for what suits the display.
    var pinMessages: UInt8?
    var swapsPINDigits = false
    var selectsProtocol = true
    var heedsNotifications = true
    var usesAbort = true
    /// Holds every reader interface of the device, so that nobody uses another one meanwhile.
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
