import Hardware
import Money
import Payments
import Storage
import Yosemite

extension CommandFailure {
    /// Creates the failure of a payment's outcome; nil when it was approved.
    init?(_ payment: Payment) {
        let message = payment.errorMessage ?? payment.outcome.rawValue
        let code = payment.errorCode ?? payment.outcome.rawValue
        switch payment.outcome {
        case .approved: return nil
        case .declined:
            self.init(
                .declined, code: code, message: message,
                fix: Self.fix(ofDecline: code, payment.details.declineReason, triesLeft: payment.card?.pinTriesLeft))
        case .canceled:
            self.init(
                .canceled, code: code,
                message: message
                    + (payment.state == .reversed
                        ? ": the authorization was reversed, nothing was charged" : ": nothing was charged"))
        case .unknown, .pending:
            self.init(
                .outcomeUnknown, code: code, message: message,
                fix: "do not charge again; run 'cardpresent payments recover' to take the payment back, or to complete "
                    + "it")
        case .failed: self.init(Self.status(ofFailure: code), code: code, message: message, fix: Self.fix(code))
        }
    }

    private static func fix(ofDecline code: String, _ reason: DeclineReason?, triesLeft: UInt8?) -> String {
        switch code {
        case PaymentErrorCode.declinedByHost where reason == .duplicateTransaction:
            "the host has a payment like this one already: look at it before you charge again"
        case PaymentErrorCode.declinedByHost where reason == .temporary:
            "nothing was charged; start again in a moment, or use another card"
        case PaymentErrorCode.declinedByHost where reason == .terminalNotPermitted:
            "nothing was charged; start again, and ask the acquirer about the terminal and the merchant when the host "
                + "refuses it again: another card does not help"
        case PaymentErrorCode.declinedByHost where reason == .transactionNotPossible:
            "nothing was charged; ask the acquirer: another card does not help"
        case PaymentErrorCode.chipRequired: "nothing was charged; start again and insert the card"
        case PaymentErrorCode.referred:
            "nothing was charged; call the card issuer and retry, or use another card"
        case PaymentErrorCode.wrongPIN where triesLeft != 0:
            "nothing was charged; start again with the right PIN, or use another card"
        default: "use another card"
        }
    }

    private static func status(ofFailure code: String) -> ExitStatus {
        switch code {
        case "internal": .internalError
        case "host_failed", "host_unreachable", "host_timeout": .unavailable
        case "invalid_amount", "invalid_currency": .usage
        case "interrupted": .tryAgain
        default: .reader
        }
    }

    private static func fix(_ code: String) -> String? {
        switch code {
        case "card_not_read": "use another card or another payment method"
        case "swipe_not_read": "swipe the card again, or use another card"
        case "chip_card_swiped", "insert_card": "insert the card into a chip card reader"
        case "tap_not_read": "insert the card, or use another card"
        case "card_removed": "start again, and leave the card in until it may be removed"
        case "card_timeout": "start again and present a card"
        case "reader_unplugged", "no_reader": "connect the reader and start again"
        case "host_failed", "host_unreachable", "host_timeout", "interrupted": "nothing was charged; start again"
        default: nil
        }
    }

    init(_ error: CardPresentPaymentsError) {
        switch error {
        case .noStoreSite: self.init(.configuration, code: "no_store_site", splitting: error.description)
        case .site(let error): self.init(error)
        case .order(let error): self.init(error)
        case .gateway(let error): self.init(error)
        case .refund(let error): self.init(error)
        case .readerConfiguration(let error):
            self.init(.configuration, code: "reader_location", splitting: error.description)
        case .reader(let error): self.init(error)
        case .journal(let error): self.init(error)
        case .unrecorded(_, let reason):
            self.init(
                .outcomeUnknown, code: CommandFailure(reason).code, message: error.description.splitAtFix.0,
                fix: "do not charge or refund again; when the database works, run 'cardpresent payments recover'")
        case .cardData: self.init(.outcomeUnknown, code: "card_data_closed", splitting: error.description)
        case .busy: self.init(.tryAgain, code: "busy", message: error.description)
        case .restored:
            self.init(
                .tryAgain, code: "database_restored", message: error.description.splitAtFix.0,
                fix: "compare with 'cardpresent issuer reconcile', then run the command again if the payment is not "
                    + "there")
        }
    }

    init(_ error: OrderNotPayable) {
        let code =
            switch error {
            case .alreadyPaid: "order_paid"
            case .nothingToPay: "nothing_to_pay"
            case .hasRefunds: "order_refunded"
            case .wrongStatus: "order_closed"
            case .otherMethod: "other_payment_method"
            case .unusableTotal: "invalid_amount"
            case .currencyNotSupported: "currency_not_supported"
            case .totalChanged: "total_changed"
            }
        // The new total is now stored, so the next try uses it.
        if case .totalChanged = error {
            self.init(.tryAgain, code: code, splitting: error.description)
        } else {
            self.init(.badData, code: code, message: error.description)
        }
    }

    init(_ error: RefundLineProblem) {
        let text = error.description
        switch error {
        case .noOrder: self.init(.usage, code: "no_order", splitting: text)
        case .unknownLine: self.init(.usage, code: "unknown_line", splitting: text)
        case .notAProduct, .notInPieces, .namedTwice, .nothingLeft, .tooMany:
            self.init(.usage, code: "line_not_refundable", splitting: text)
        case .otherAmount: self.init(.usage, code: "amount_differs", splitting: text)
        case .unusableAmount: self.init(.badData, code: "invalid_amount", splitting: text)
        }
    }

    init(_ error: GatewayProblem) {
        let text = error.description
        switch error {
        case .noAccount: self.init(.configuration, code: "no_gateway_account", splitting: text)
        case .notChosen(let gateways):
            self.init(
                .usage, code: "gateway_not_chosen", message: text.splitAtFix.0,
                fix: "choose one with " + gateways.map { "--gateway \($0)" }.joined(separator: " or "))
        case .rejected: self.init(.unavailable, code: "gateway_rejected", splitting: text)
        case .notOffered: self.init(.unavailable, code: "not_offered", message: text.splitAtFix.0)
        }
    }

    init(_ error: CardReaderServiceError) {
        let message = error.description
        switch error.underlying {
        case .readerBusy(let detail):
            let (_, fix) = detail.splitAtFix
            self.init(
                .reader, code: "reader_busy", message: fix == nil ? message : message.splitAtFix.0,
                fix: fix ?? "stop the other program, or choose another reader with --reader usb:ID")
        case .readerTaken(let owner, let remedy):
            self.init(
                .reader, code: "reader_taken", message: "\(owner) is using the reader",
                fix: remedy
                    + (owner.contains("pcscd") ? ", or use the reader through pcscd with --reader pcsc:NAME" : ""))
        case .readerReconnecting:
            self.init(
                .tryAgain, code: "reader_reconnecting", message: message,
                fix: "connect the reader, or choose another one with --reader usb:ID")
        case .featureNotAvailable: self.init(.unavailable, code: "not_available", splitting: message)
        case .readerNotFound:
            self.init(.reader, code: "reader_not_found", message: message, fix: "connect a CCID reader")
        case .readerAccessDenied:
            let (what, fix) = message.splitAtFix
            self.init(
                .reader, code: "reader_access_denied", message: what,
                fix: fix ?? "run 'sudo cardpresent doctor --fix'")
        case .commandCanceled: self.init(.canceled, code: "cancelled", message: message)
        case .readerSoftwareUpdateFailed, .readerSoftwareUpdateFailedReader:
            self.init(
                .reader, code: "update_failed", message: message,
                fix: "run 'cardpresent readers update' again; if it still fails, contact the manufacturer")
        case .readerSoftwareUpdateFailedBatteryLow: self.init(.reader, code: "battery_low", splitting: message)
        case .readerSoftwareUpdateFailedInterrupted:
            self.init(
                .reader, code: "update_interrupted", message: message.splitAtFix.0,
                fix: "connect the reader and run 'cardpresent readers update'")
        case .readerSoftwareUpdateFailedServer:
            self.init(
                .badData, code: "firmware_unusable", message: message,
                fix: "set readers.firmware in the configuration to a DFU file for this reader")
        default: self.init(.reader, code: "reader_failed", message: message)
        }
    }

    init(_ error: JournalError) {
        let message = error.description
        switch error {
        case .storage(let error): self.init(error)
        case .paymentNotFound: self.init(.usage, code: "unknown_payment", splitting: message)
        case .receiptNotFound: self.init(.usage, code: "unknown_receipt", splitting: message)
        case .notRefundable: self.init(.usage, code: "not_refundable", message: message)
        case .refundTooLarge(let id, _, let available):
            self.init(
                .usage, code: "refund_too_large", message: message,
                fix: available.minorUnits > 0
                    ? "refund \(available.decimalText) or less with --amount, or all of the rest with "
                        + "'cardpresent refund \(id)'"
                    : "'cardpresent payments show \(id)' shows its refunds")
        case .notCapturable(let id, let standing): self.init(id, standing, message: message)
        case .otherHost: self.init(.configuration, code: "other_host", splitting: message)
        case .captureTooLarge(_, _, let authorized):
            self.init(
                .usage, code: "capture_too_large", message: message,
                fix: "capture \(authorized.decimalText) or less with --amount")
        case .incrementOpen: self.init(.tryAgain, code: "increment_open", splitting: message)
        case .holdExpired(let id, _):
            self.init(
                .usage, code: "hold_expired", message: message,
                fix: "capture it with 'cardpresent payments capture \(id)', or cancel it and hold the whole amount anew"
            )
        case .nothingToClose(let id):
            self.init(
                .usage, code: "nothing_to_close", message: message,
                fix: "'cardpresent payments show \(id)' shows its attempts; what is held is ended with "
                    + "'cardpresent payments capture' or 'cancel'")
        case .stillHeld: self.init(.usage, code: "nothing_to_close", splitting: message)
        case .severalOpen: self.init(.usage, code: "several_open", splitting: message)
        case .unfinished: self.init(.tryAgain, code: "unfinished", splitting: message)
        case .notRetriable: self.init(.tryAgain, code: "not_retriable", message: message)
        case .notOurs, .notificationNotOurs: self.init(.tryAgain, code: "busy", message: message)
        case .orderHasPayment(_, let id, let state):
            self.init(
                .tryAgain, code: "order_has_payment", message: message,
                fix: state == .pending || state == .unknown
                    ? "do not charge again; run 'cardpresent payments recover' to take the payment back, or to complete it"
                    : "run 'cardpresent payments sync \(id)' to notify the store, or refund the payment before taking another"
            )
        case .nothingToNotify: self.init(.usage, code: "nothing_to_tell", message: message)
        case .nothingToAccept: self.init(.usage, code: "nothing_to_accept", message: message)
        case .refundedBeforeNotification: self.init(.tryAgain, code: "refunded", message: message)
        case .noNewIdentity:
            self.init(.internalError, code: "internal", message: error.description)
        case .neverRestored: self.init(.usage, code: "never_restored", splitting: message)
        case .money(let error): self.init(error)
        case .printNotFound: self.init(.usage, code: "unknown_print_job", splitting: message)
        case .attemptNotFound, .illegalTransition, .illegalPrint, .illegalNotification, .requestNameTaken:
            self.init(.internalError, code: "internal", message: message)
        }
    }

    init(_ error: MoneyError) {
        let text = error.description
        switch error {
        case .unknownCurrency: self.init(.usage, code: "unknown_currency", splitting: text)
        case .malformed: self.init(.usage, code: "invalid_amount", splitting: text)
        case .tooManyDecimals:
            let spellings = error.nearestSpellings
            self.init(
                .usage, code: "invalid_amount", message: text,
                fix: spellings.isEmpty ? "give an amount above zero" : "write " + spellings.joined(separator: " or "))
        case .negative, .tooLarge, .currencyMismatch:
            self.init(.usage, code: "invalid_amount", message: text, fix: "give a decimal such as 12.50")
        }
    }

    init(_ error: StorageError) {
        let text = error.description
        switch error {
        case .notWritable: self.init(.unavailable, code: "database_not_writable", splitting: text)
        case .missing:
            self.init(
                .noInput, code: CommandFailure.missingDatabase, message: text,
                fix: "check the name; 'cardpresent pay' and 'cardpresent login' create a database")
        case .notReadable: self.init(.unavailable, code: "database_not_readable", splitting: text)
        case .diskFull: self.init(.unavailable, code: "disk_full", splitting: text)
        case .busy: self.init(.tryAgain, code: "database_busy", splitting: text)
        case .newerSchema: self.init(.badData, code: "newer_schema", splitting: text)
        case .corrupt: self.init(.badData, code: "database_corrupt", splitting: text)
        case .notADatabase: self.init(.badData, code: "not_a_database", splitting: text)
        case .foreignDatabase: self.init(.badData, code: "foreign_database", splitting: text)
        case .ruleBroken: self.init(.internalError, code: "internal", message: text)
        case .failed: self.init(.unavailable, code: "database_failed", message: text)
        }
    }
}

extension String {
    /// Splits an error text into what happened and, after the last colon or semicolon, how to fix it.
    var splitAtFix: (String, String?) {
        var end = endIndex
        while let mark = self[..<end].lastIndex(where: { $0 == ":" || $0 == ";" }) {
            let rest = self[index(after: mark)...]
            // A path may contain the mark, but rarely before a space.
            if rest.first == " " { return (String(self[..<mark]), String(rest.dropFirst())) }
            end = mark
        }
        return (self, nil)
    }
}
