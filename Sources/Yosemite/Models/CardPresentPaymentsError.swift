public import Hardware
public import Storage

/// Why an action of ``CardPresentPaymentsStore`` has no result.
public enum CardPresentPaymentsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action needs a store site, and nobody is signed in to that one.
    case noStoreSite
    /// The store site could not be asked, or refused.
    case site(StoreError)
    /// The order cannot be paid here.
    case order(OrderNotPayable)
    /// No payment gateway of the store can be used.
    case gateway(GatewayProblem)
    /// The gateway knows no place for readers.
    case readerConfiguration(ReaderConfigurationError)
    /// The reader or the host failed outside a payment.
    case reader(CardReaderServiceError)
    /// The records do not allow it, or cannot be read or written.
    case journal(JournalError)
    /// Another payment or refund of this process is running.
    case busy

    public var description: String {
        switch self {
        case .noStoreSite: "nobody is signed in to this store: sign in with 'cardpresent login'"
        case .site(let error): error.description
        case .order(let error): error.description
        case .gateway(let error): error.description
        case .readerConfiguration(let error): error.description
        case .reader(let error): error.description
        case .journal(let error): error.description
        case .busy: "another payment is running: wait for it to end, or cancel it"
        }
    }
}
