internal import Sessions

/// A place in a session at which something can be made to happen: the words with which an event begins.
struct InjectionPoint: Hashable, Comparable, Sendable {
    let words: String

    init(words: String) { self.words = words }

    static func < (one: InjectionPoint, other: InjectionPoint) -> Bool { one.words < other.words }

    /// The place that an event marks, whatever it is about; nil for one that the session's own script made.
    init?(_ event: SessionEvent) {
        switch event.kind {
        case .step, .stepEnded, .act, .action, .start, .crash: return nil
        // What is told is text of all kinds, or a number.
        case .apdu, .display, .site, .lowBattery, .batteryResolved, .waiting, .cardIn, .cardOut, .pluggedIn, .unplugged:
            words = event.kind.rawValue
        default:
            let plain = event.detail.split(separator: " ").prefix { word in
                word.utf8.allSatisfy {
                    ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") || $0 == 0x5F
                }
            }
            words = ([event.kind.rawValue] + plain.prefix(3).map(String.init)).joined(separator: " ")
        }
    }

    /// Known before any session was played: the commits of the journal, the messages to the issuer, and the milestones
    /// of
    /// a payment at the reader.
    static let first: [InjectionPoint] = [
        "saving created", "saving authorizing", "saving captured", "saving reversing", "journal created",
        "journal authorizing", "journal captured", "journal declined", "host authorize sent", "host authorize answered",
        "host reverse sent", "capture due", "capture sent", "site", "waiting", "card_inserted", "authorizing", "apdu",
        "remove_card", "kernel online", "kernel entering_pin", "receipt sale", "print processing",
    ].map(InjectionPoint.init(words:))
}
