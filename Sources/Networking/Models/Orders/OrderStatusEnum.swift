/// The statuses that WooCommerce has, and those that plug-ins add.
public enum OrderStatusEnum: Codable, Hashable, Sendable, RawRepresentable {
    /// Being written in the shop's own pages; never stored.
    case autoDraft
    case pending, processing, onHold, completed, cancelled, refunded, failed
    case custom(String)

    public init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .custom(rawValue)
    }

    public var rawValue: String {
        switch self {
        case .autoDraft: "auto-draft"
        case .pending: "pending"
        case .processing: "processing"
        case .onHold: "on-hold"
        case .completed: "completed"
        case .cancelled: "cancelled"
        case .refunded: "refunded"
        case .failed: "failed"
        case .custom(let word): word
        }
    }

    private static let known: [OrderStatusEnum] = [
        .autoDraft, .pending, .processing, .onHold, .completed, .cancelled, .refunded, .failed,
    ]
}
