internal import EMV
internal import SmartCard

extension UnderlyingError {
    /// Whether it may be the reader that failed, rather than the card or the people.
    var isOfReader: Bool {
        switch self {
        case .readerDisconnected, .readerCommunicationError, .notConnectedToReader, .cardInsertNotRead: true
        default: false
        }
    }

    /// What an error of the kernel means to a payment.
    init(_ error: KernelError) {
        let text = error.description
        self =
            switch error {
            case .channel(.cardRemoved): .cardRemoved
            case .cardBlocked, .applicationBlocked: .paymentDeclinedByCardReader(text)
            case .channel(.cancelled): .commandCancelled(from: .app)
            case .channel(.readerUnavailable): .readerCommunicationError(text)
            case .request: .invalidAmount(text)
            case .cryptography: .internalServiceError(text)
            default: .cardInsertNotRead(text)
            }
    }
}
