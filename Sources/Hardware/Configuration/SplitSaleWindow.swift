public import Determinism
internal import SettingsFile

/// How long an offline payment counts when the same card pays again (EMV Book 3 §10.6.1).
public enum SplitSaleWindow: Hashable, Sendable {
    /// Not at all: a terminal without a log.
    case none
    /// Until midnight by the clock on the wall.
    case day
    /// 1...168
    case hours(Int)

    /// The moment from which payments count; nil when none does.
    public func start(at time: any TimeSource) -> Timestamp? {
        let now = time.now()
        switch self {
        case .none: return nil
        case .day:
            let clock = time.localDate()
            let seconds = clock.hour * 3600 + clock.minute * 60 + clock.second
            return now.advanced(by: .milliseconds(-1000 * Int64(seconds) - now.milliseconds % 1000))
        case .hours(let hours): return now.advanced(by: .seconds(-3600 * hours))
        }
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        switch try node.text() {
        case "none": self = .none
        case "day": self = .day
        case let text:
            guard text.utf8.count <= 3, let hours = Int(text), (1...168).contains(hours) else {
                throw node.error("not a length of time", fix: "write day, none, or 1 to 168 hours")
            }
            self = .hours(hours)
        }
    }

    /// As a configuration has it.
    var setting: String {
        switch self {
        case .none: "none"
        case .day: "day"
        case .hours(let hours): String(hours)
        }
    }
}
