internal import Hardware
internal import Storage

/// Why a payment did not succeed, as it is recorded and told.
struct PaymentFailure: Hashable, Sendable {
    static let cancelledCode = "cancelled"
    static let interruptedCode = "interrupted"
    static let declinedByCardCode = "declined_by_card"
    static let declinedByHostCode = "declined_by_host"
    /// The issuer wants to be telephoned; until then it is a decline.
    static let referredCode = "call_issuer"

    /// A word for programs.
    var code: String
    /// A sentence for people.
    var message: String
    var declineReason: DeclineReason?
    /// What was read of the card before it failed.
    var card: CardPresentTransactionDetails?
    /// Whether the card or the host refused, rather than something breaking.
    var isDecline = false
    /// Whether the host may have moved money and did not say.
    var isUnknown = false

    var isCancellation: Bool { code == Self.cancelledCode }

    init(code: String, message: String) { (self.code, self.message) = (code, message) }

    init(_ error: CardReaderServiceError) {
        self.init(code: Self.code(of: error), message: String(describing: error))
        switch error {
        case .paymentCaptureWithPaymentMethod(let underlying, let card):
            self.card = card
            switch underlying {
            case .paymentDeclinedByPaymentProcessorAPI(let reason):
                (isDecline, declineReason) = (true, reason)
            case .paymentDeclinedByCardReader: isDecline = true
            default: break
            }
        case .paymentOutcomeUnknown(_, let card): (isUnknown, self.card) = (true, card)
        case .refundPayment(.paymentDeclinedByPaymentProcessorAPI(let reason), _):
            (isDecline, declineReason) = (true, reason)
        case .refundOutcomeUnknown: isUnknown = true
        default: break
        }
    }

    private static func code(of error: CardReaderServiceError) -> String {
        guard let underlying = error.underlying else { return "reader_failed" }
        return switch underlying {
        case .commandCancelled: cancelledCode
        case .paymentDeclinedByPaymentProcessorAPI(.callIssuer): referredCode
        case .paymentDeclinedByPaymentProcessorAPI: declinedByHostCode
        case .paymentDeclinedByCardReader: declinedByCardCode
        case .cardReadTimeOut: "card_timeout"
        case .cardInsertNotRead: "card_not_read"
        case .cardSwipeNotRead: "swipe_not_read"
        case .chipCardSwiped: "chip_card_swiped"
        case .cardRemoved: "card_removed"
        case .cardLeftInReader: "card_left_in_reader"
        case .notConnectedToReader: "no_reader"
        case .alreadyConnectedToReader: "reader_connected"
        case .readerBusy: "reader_busy"
        case .readerNotFound: "reader_not_found"
        case .readerAccessDenied: "reader_access_denied"
        case .readerIncompatible: "reader_incompatible"
        case .readerCommunicationError: "reader_failed"
        case .readerDisconnected: "reader_unplugged"
        case .readerReconnecting: "reader_reconnecting"
        case .readerTaken: "reader_taken"
        case .processorAPIError: "host_failed"
        case .notConnectedToInternet: "host_unreachable"
        case .requestTimedOut: "host_timeout"
        case .featureNotAvailable: "not_available"
        case .readerSoftwareUpdateFailed, .readerSoftwareUpdateFailedReader: "update_failed"
        case .readerSoftwareUpdateFailedBatteryLow: "battery_low"
        case .readerSoftwareUpdateFailedInterrupted: "update_interrupted"
        case .readerSoftwareUpdateFailedServer: "firmware_unusable"
        case .noSoftwareUpdateAvailable: "no_update"
        case .noActivePaymentIntent, .noRefundInProgress, .softwareUpdateNotCancellable: "nothing_running"
        case .invalidAmount: "invalid_amount"
        case .invalidCurrency: "invalid_currency"
        case .internalServiceError: "internal"
        }
    }
}
