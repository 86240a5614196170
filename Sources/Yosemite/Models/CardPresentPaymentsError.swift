public import Hardware
public import Storage

/// Why an action of ``CardPresentPaymentsStore`` has no result.
public enum CardPresentPaymentsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action needs a store site, and none is configured.
    case noStoreSite
    /// The reader or the host failed outside a payment.
    case reader(CardReaderServiceError)
    /// The records do not allow it, or cannot be read or written.
    case journal(JournalError)
    /// A refund did not go through; what is known of it is in the payment's history.
    case refund(CardReaderServiceError)
    /// Another payment or refund of this process is running.
    case busy

    public var description: String {
        switch self {
        case .noStoreSite: "no store site is configured"
        case .reader(let error): error.description
        case .journal(let error): error.description
        case .refund(let error): "the refund did not go through: \(error)"
        case .busy: "another payment is running: wait for it to end, or cancel it"
        }
    }
}
