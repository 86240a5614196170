/// Where an order stands.
enum OrderState: String, Hashable, Sendable, CaseIterable {
    case pending, processing
    case onHold = "on-hold"
    case completed, cancelled, refunded, failed
    case checkoutDraft = "checkout-draft"
    case autoDraft = "auto-draft"
    case trash

    /// The name that people see.
    var words: String {
        switch self {
        case .pending: "Pending payment"
        case .processing: "Processing"
        case .onHold: "On hold"
        case .completed: "Completed"
        case .cancelled: "Cancelled"
        case .refunded: "Refunded"
        case .failed: "Failed"
        case .checkoutDraft: "Draft"
        case .autoDraft: "Auto draft"
        case .trash: "Trash"
        }
    }

    /// Those that a store has of its own, in the order in which it lists them.
    static let listed: [OrderState] = [
        .pending, .processing, .onHold, .completed, .cancelled, .refunded, .failed, .checkoutDraft,
    ]

    /// Whether 'any' means it too.
    var isShown: Bool { self != .trash && self != .autoDraft }

    /// Whether reports count its orders.
    var isCounted: Bool {
        switch self {
        case .processing, .onHold, .completed, .refunded: true
        case .pending, .cancelled, .failed, .checkoutDraft, .autoDraft, .trash: false
        }
    }

    var isPaid: Bool { self == .processing || self == .completed }
}
