/// How far a payment has come.
public enum PaymentIntentStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case requiresPaymentMethod = "requires_payment_method"
    case requiresConfirmation = "requires_confirmation"
    /// Authorised: money is held, or promised by the card.
    case requiresCapture = "requires_capture"
    case processing
    case canceled
    case succeeded
}
