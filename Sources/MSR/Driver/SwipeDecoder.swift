internal import HID
internal import MagneticStripe

/// Makes swipes of a reader's reports, whatever its format.
struct SwipeDecoder: Sendable {
    private enum Layout {
        case tracks(TrackReportLayout)
        case keyboard
    }

    private let layout: Layout
    // In place, not inside the case: taking them out of it would copy what was typed.
    private var keyboard = KeyboardDecoder(.boot)
    private var typed = TypedSwipe()

    /// - Throws: ``MSRError/notSupported(_:)``
    init(_ interface: MSRInterface, _ descriptor: HIDReportDescriptor) throws(MSRError) {
        switch interface.format {
        case .tracks(let usages): layout = .tracks(try TrackReportLayout(descriptor, usages))
        case .keyboard:
            layout = .keyboard
            if !interface.hid.isBootKeyboard { keyboard = KeyboardDecoder(try KeyboardLayout(descriptor)) }
        }
    }

    /// Whether a swipe has begun and not ended.
    var isUnderWay: Bool { typed.isUnderWay }

    /// Takes a report.
    ///
    /// - Returns: the swipe that ended with it.
    mutating func take(_ report: [UInt8]) -> Swipe? {
        switch layout {
        case .tracks(let layout):
            guard let stripe = layout.swipe(report) else { return nil }
            return Swipe(stripe)
        case .keyboard:
            // What follows the end in the same report belongs to no swipe.
            for character in keyboard.take(report) where typed.take(character) { return Swipe(typed.finish()) }
            return nil
        }
    }

    /// No report came for a while.
    ///
    /// - Returns: the swipe as far as it came; nil when none had begun.
    mutating func finish() -> Swipe? { typed.isUnderWay ? Swipe(typed.finish()) : nil }
}
