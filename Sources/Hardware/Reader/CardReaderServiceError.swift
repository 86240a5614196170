/// What went wrong, and in the middle of what.
public enum CardReaderServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    case discovery(UnderlyingError)
    case connection(UnderlyingError)
    case disconnection(UnderlyingError)
    case intentCreation(UnderlyingError)
    /// Nothing was sent to the host: no money moved.
    case paymentMethodCollection(UnderlyingError)
    /// The payment was declined; the card's data goes on the receipt.
    case paymentCaptureWithPaymentMethod(UnderlyingError, CardPresentTransactionDetails)
    /// The host may have moved money, and neither an answer nor a reversal came through.
    case paymentOutcomeUnknown(UnderlyingError, CardPresentTransactionDetails?)
    case refundCreation(UnderlyingError)
    case refundPayment(UnderlyingError, shouldRetry: Bool)
    /// The host may have moved the money.
    case refundOutcomeUnknown(UnderlyingError)
    case softwareUpdate(UnderlyingError)
    case retryNotPossibleNoActivePayment
    case retryNotPossibleActivePaymentCancelled
    case retryNotPossibleActivePaymentSucceeded
    case retryNotPossibleProcessingInProgress
    /// The host has answered the attempt: another try needs a key of its own.
    case retryNotPossibleActivePaymentAnswered

    /// The cause; nil where the case says it all.
    public var underlying: UnderlyingError? {
        switch self {
        case .discovery(let error), .connection(let error), .disconnection(let error), .intentCreation(let error),
            .paymentMethodCollection(let error), .paymentCaptureWithPaymentMethod(let error, _),
            .paymentOutcomeUnknown(let error, _), .refundCreation(let error), .refundPayment(let error, _),
            .refundOutcomeUnknown(let error), .softwareUpdate(let error):
            error
        case .retryNotPossibleNoActivePayment, .retryNotPossibleActivePaymentCancelled,
            .retryNotPossibleActivePaymentSucceeded, .retryNotPossibleProcessingInProgress,
            .retryNotPossibleActivePaymentAnswered:
            nil
        }
    }

    public var description: String {
        switch self {
        case .paymentOutcomeUnknown(let error, _), .refundOutcomeUnknown(let error):
            "the outcome is unknown: \(error)"
        case .retryNotPossibleNoActivePayment: "there is no payment to try again"
        case .retryNotPossibleActivePaymentCancelled: "the payment was cancelled and cannot be tried again"
        case .retryNotPossibleActivePaymentSucceeded: "the payment has succeeded already"
        case .retryNotPossibleProcessingInProgress: "the payment is being processed"
        case .retryNotPossibleActivePaymentAnswered: "the payment was answered: begin a new attempt"
        default: underlying.map(String.init(describing:)) ?? "the card reader failed"
        }
    }
}
