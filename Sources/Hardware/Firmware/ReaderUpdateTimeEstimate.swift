/// How long an update takes, about.
public enum ReaderUpdateTimeEstimate: String, Hashable, Sendable, Codable, CaseIterable {
    case lessThanOneMinute
    case oneToTwoMinutes
    case twoToFiveMinutes
    case fiveToFifteenMinutes

    /// What a microcontroller's flash memory takes in a second when it is erased and written over USB at full speed.
    private static let bytesASecond = 4096
    /// Both changes of the mode, and what the reader does with the firmware at the end.
    private static let fixedSeconds = 15

    /// - Parameter fileSize: of the firmware, in bytes.
    init(fileSize: Int) {
        switch Self.fixedSeconds + max(0, fileSize) / Self.bytesASecond {
        case ..<60: self = .lessThanOneMinute
        case ..<120: self = .oneToTwoMinutes
        case ..<300: self = .twoToFiveMinutes
        default: self = .fiveToFifteenMinutes
        }
    }

    /// For people.
    public var text: String {
        switch self {
        case .lessThanOneMinute: "less than a minute"
        case .oneToTwoMinutes: "one to two minutes"
        case .twoToFiveMinutes: "two to five minutes"
        case .fiveToFifteenMinutes: "five to fifteen minutes"
        }
    }
}
