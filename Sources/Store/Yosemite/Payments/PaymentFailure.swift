public import Hardware
import Payments
import Storage

/// The recorded and reported reason of a failed payment.
struct PaymentFailure: Hashable, Sendable {
    /// A machine-readable code.
    var code: String
    /// A human-readable sentence.
    var message: String
    var declineReason: DeclineReason?
    /// The reason as receipts say it.
    var receiptReason: ReceiptReason
    /// The card data read before the failure.
    var card: CardDetails?
    /// The host's code and its meaning; nil when the host did not decline, or has no words for it.
    var hostWords: String?
    /// Whether the card or the host declined, as opposed to an error.
    var isDecline = false
    /// Whether the host may have moved money without answering.
    var isUnknown = false

    /// Returns whether money may have moved: an approval, or a possible one, that was not reversed is not final,
    /// whatever the failure was.
    func mayHaveMovedMoney(_ phase: JournalingPaymentHost.Phase) -> Bool {
        phase == .moved || phase == .reversing || isUnknown
    }

    var isCancellation: Bool { code == PaymentErrorCode.canceled }

    /// The failure as the journal stores it.
    var details: PaymentDetails {
        PaymentDetails(card: card?.stored, declineReason: declineReason, errorCode: code, errorMessage: words)
    }

    /// The message, with the host's code.
    var words: String { message + (hostWords.map { ", \($0)" } ?? "") }

    init(code: String, message: String, receiptReason: ReceiptReason) {
        (self.code, self.message, self.receiptReason) = (code, message, receiptReason)
    }

    /// Describes an error; `hostWords` are the host's code and its meaning, which only a decline of the host keeps.
    init(_ error: CardReaderServiceError, hostWords: String? = nil) {
        self.init(
            code: Self.code(of: error), message: String(describing: error),
            receiptReason: error.underlying.map { ReceiptReason($0) } ?? .other)
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
        if declineReason != nil { self.hostWords = hostWords }
    }

    private static func code(of error: CardReaderServiceError) -> String {
        if case .paymentCaptureWithPaymentMethod(.paymentDeclinedByPaymentProcessorAPI, let card) = error,
            card.asksForChip
        {
            return PaymentErrorCode.chipRequired
        }
        guard let underlying = error.underlying else { return "reader_failed" }
        return switch underlying {
        case .commandCanceled: PaymentErrorCode.canceled
        case .paymentDeclinedByPaymentProcessorAPI(.callIssuer): PaymentErrorCode.referred
        case .paymentDeclinedByPaymentProcessorAPI: PaymentErrorCode.declinedByHost
        case .paymentDeclinedByCardReader(.wrongPIN): PaymentErrorCode.wrongPIN
        case .paymentDeclinedByCardReader: PaymentErrorCode.declinedByCard
        case .cardReadTimeOut: "card_timeout"
        case .cardInsertNotRead: "card_not_read"
        case .cardSwipeNotRead: "swipe_not_read"
        case .chipCardSwiped: "chip_card_swiped"
        case .cardTapNotRead: "tap_not_read"
        case .tappedCardNeedsContacts: "insert_card"
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

extension ReceiptReason {
    /// The reason as a receipt says it, without the error's details.
    init(_ error: UnderlyingError) {
        self =
            switch error {
            case .paymentDeclinedByPaymentProcessorAPI(let reason): ReceiptReason(reason)
            case .paymentDeclinedByCardReader(let reason): ReceiptReason(reason)
            case .commandCanceled(.app): .canceled
            case .commandCanceled(.reader): .canceledByCardholder
            case .notConnectedToInternet, .processorAPIError: .issuerUnreachable
            case .requestTimedOut: .noAnswer
            case .cardRemoved: .cardRemoved
            case .cardInsertNotRead, .cardSwipeNotRead, .chipCardSwiped, .cardTapNotRead, .tappedCardNeedsContacts,
                .cardReadTimeOut, .cardLeftInReader:
                .cardNotRead
            case .notConnectedToReader, .alreadyConnectedToReader, .readerBusy, .readerNotFound, .readerAccessDenied,
                .readerIncompatible, .readerCommunicationError, .readerDisconnected, .readerReconnecting, .readerTaken:
                .readerFailed
            case .invalidAmount: .amountNotAccepted
            case .invalidCurrency: .currencyNotSupported
            case .featureNotAvailable, .readerSoftwareUpdateFailed, .readerSoftwareUpdateFailedBatteryLow,
                .readerSoftwareUpdateFailedInterrupted, .readerSoftwareUpdateFailedReader,
                .readerSoftwareUpdateFailedServer, .noSoftwareUpdateAvailable, .softwareUpdateNotCancellable,
                .noActivePaymentIntent, .noRefundInProgress, .internalServiceError:
                .other
            }
    }
}

extension CardReaderServiceError {
    /// The machine-readable code that is recorded for this failure, for example `card_timeout`.
    public var code: String { PaymentFailure(self).code }
}
