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
    /// Another payment or refund of this process is running.
    case busy

    public var description: String {
        switch self {
        case .noStoreSite: "no store site is configured"
        case .reader(let error): error.description
        case .journal(let error): error.description
        case .busy: "another payment is running: wait for it to end, or cancel it"
        }
    }
}
