internal import Determinism

/// How old what is stored may be.
enum Age {
    /// Empty when it is fresh: a quarter of an hour old at most.
    static func text(of what: String, since moment: Timestamp?, now: Timestamp) -> String {
        guard let moment else {
            return "The store's \(what) were never all brought here: 'cardpresent \(what) sync' does it.\n"
        }
        let minutes = (now.milliseconds - moment.milliseconds) / 60_000
        guard minutes > 15 else { return "" }
        let age =
            switch minutes {
            case ..<120: "\(minutes) minutes"
            case ..<2880: "\(minutes / 60) hours"
            default: "\(minutes / 1440) days"
            }
        return "As of \(age) ago; 'cardpresent \(what) sync' brings what is new.\n"
    }
}
