/// What the driver heeds with one reader: the rows of a ``ReaderQuirkTable`` that are about it, put together.
public struct ReaderQuirks: Hashable, Sendable {
    /// At most one of each kind, in the order of the kinds.
    public let all: [ReaderQuirk]

    /// No quirk.
    public static let none = ReaderQuirks([])

    /// - Parameter quirks: at most one of each kind.
    init(_ quirks: [ReaderQuirk]) { all = quirks }

    /// Whether there is a quirk of this kind.
    public func contains(_ kind: ReaderQuirk.Kind) -> Bool { all.contains { $0.kind == kind } }

    /// What can be done about firmware that is refused; nil when it is not.
    var refusal: String? {
        for case .refusedFirmware(let fix) in all { return fix }
        return nil
    }

    /// What a reader is, by what it says and what is known better.
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
