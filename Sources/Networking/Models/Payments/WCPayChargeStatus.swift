/// How a charge ended.
public enum WCPayChargeStatus: Codable, Hashable, Sendable, RawRepresentable {
    case succeeded, pending, failed
    case other(String)

    public init(rawValue: String) {
        switch rawValue {
        case "succeeded": self = .succeeded
        case "pending": self = .pending
        case "failed": self = .failed
        default: self = .other(rawValue)
        }
    }

    public var rawValue: String {
        switch self {
        case .succeeded: "succeeded"
        case .pending: "pending"
        case .failed: "failed"
        case .other(let word): word
        }
    }
}
