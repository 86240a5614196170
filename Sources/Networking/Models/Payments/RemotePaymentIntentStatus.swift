/// The states of a payment intent. One that is not known is not taken for another one.
public enum RemotePaymentIntentStatus: Codable, Hashable, Sendable, RawRepresentable {
    case requiresPaymentMethod, requiresConfirmation, requiresAction, processing, requiresCapture, canceled, succeeded
    case other(String)

    public init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    public var rawValue: String {
        switch self {
        case .requiresPaymentMethod: "requires_payment_method"
        case .requiresConfirmation: "requires_confirmation"
        case .requiresAction: "requires_action"
        case .processing: "processing"
        case .requiresCapture: "requires_capture"
        case .canceled: "canceled"
        case .succeeded: "succeeded"
        case .other(let word): word
        }
    }

    private static let known: [RemotePaymentIntentStatus] = [
        .requiresPaymentMethod, .requiresConfirmation, .requiresAction, .processing, .requiresCapture, .canceled,
        .succeeded,
    ]
}
