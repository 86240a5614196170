internal import Amounts
internal import Hardware
internal import Storage
internal import Yosemite

extension CommandFailure {
    /// What a payment's outcome makes of the command; nil when it was approved.
    init?(_ payment: Yosemite.Payment) {
        let message = payment.errorMessage ?? payment.outcome.rawValue
        let code = payment.errorCode ?? payment.outcome.rawValue
        switch payment.outcome {
        case .approved: return nil
        case .declined:
            self.init(
                .declined, code: code, message: message,
                fix: code == "call_issuer"
                    ? "nothing was charged: call the card's issuer and begin again, or ask for another card"
                    : "ask for another card")
        case .cancelled:
            self.init(
                .cancelled, code: code,
                message: message
                    + (payment.state == "reversed"
                        ? ": what was sent was taken back, nothing was charged" : ": nothing was charged"))
        case .unknown, .pending:
            self.init(
                .outcomeUnknown, code: code, message: message,
                fix: "do not charge again: 'cardpresent payments recover' asks the host what became of it")
        case .failed: self.init(Self.status(ofFailure: code), code: code, message: message, fix: Self.fix(code))
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
        case "card_not_read": "ask for another card, or another way to pay"
        case "swipe_not_read": "begin again and swipe the card, or ask for another one"
        case "chip_card_swiped": "begin again with a chip card reader, and insert the card"
        case "card_removed": "begin again, and leave the card in until the reader says otherwise"
        case "card_timeout": "begin again and present a card"
        case "reader_unplugged", "no_reader": "plug the reader in and begin again"
        case "host_failed", "host_unreachable", "host_timeout", "interrupted": "nothing was charged: begin again"
        default: nil
        }
    }

    init(_ error: CardPresentPaymentsError) {
        switch error {
        case .noStoreSite:
            let (message, fix) = error.description.splitAtFix
            self.init(.configuration, code: "no_store_site", message: message, fix: fix)
        case .site(let error): self.init(error)
        case .order(let error): self.init(error)
        case .gateway(let error): self.init(error)
        case .readerConfiguration(let error):
            let (message, fix) = error.description.splitAtFix
            self.init(.configuration, code: "reader_location", message: message, fix: fix)
        case .reader(let error): self.init(error)
        case .journal(let error): self.init(error)
        case .busy: self.init(.tryAgain, code: "busy", message: error.description)
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
        // A total that changed is known by now: the next try is made with the new one.
        if case .totalChanged = error {
            let (message, fix) = error.description.splitAtFix
            self.init(.tryAgain, code: code, message: message, fix: fix)
        } else {
            self.init(.badData, code: code, message: error.description)
        }
    }

    init(_ error: GatewayProblem) {
        let (message, fix) = error.description.splitAtFix
        switch error {
        case .noAccount: self.init(.configuration, code: "no_gateway_account", message: message, fix: fix)
        case .notChosen(let gateways):
            self.init(
                .usage, code: "gateway_not_chosen", message: message,
                fix: "choose one: " + gateways.map { "--gateway \($0)" }.joined(separator: " or "))
        case .rejected: self.init(.unavailable, code: "gateway_rejected", message: message, fix: fix)
        case .notOffered: self.init(.unavailable, code: "not_offered", message: message)
        }
    }

    init(_ error: CardReaderServiceError) {
        let message = error.description
        switch error.underlying {
        case .readerBusy(let detail):
            let (_, fix) = detail.splitAtFix
            self.init(
                .reader, code: "reader_busy", message: fix == nil ? message : message.splitAtFix.0,
                fix: fix ?? "end the other program, or give another reader with --reader usb:ID")
        case .readerTaken(let owner, let remedy):
            self.init(
                .reader, code: "reader_taken", message: "\(owner) holds the reader",
                fix: remedy + (owner.contains("pcscd") ? ", or share the reader with --reader pcsc:NAME" : ""))
        case .readerReconnecting:
            self.init(
                .tryAgain, code: "reader_reconnecting", message: message,
                fix: "plug the reader in, or give another one with --reader usb:ID")
        case .featureNotAvailable:
            self.init(.unavailable, code: "not_available", message: message.splitAtFix.0, fix: message.splitAtFix.1)
        case .readerNotFound:
            self.init(.reader, code: "reader_not_found", message: message, fix: "plug a CCID reader in")
        case .readerAccessDenied:
            let (what, fix) = message.splitAtFix
            self.init(
                .reader, code: "reader_access_denied", message: what,
                fix: fix ?? "install udev/60-cardpresent.rules and join the group cardpresent")
        case .commandCancelled: self.init(.cancelled, code: "cancelled", message: message)
        case .readerSoftwareUpdateFailed, .readerSoftwareUpdateFailedReader:
            self.init(
                .reader, code: "update_failed", message: message,
                fix: "try again: 'cardpresent readers update'; if it fails again, ask the reader's maker")
        case .readerSoftwareUpdateFailedBatteryLow:
            self.init(.reader, code: "battery_low", message: message.splitAtFix.0, fix: message.splitAtFix.1)
        case .readerSoftwareUpdateFailedInterrupted:
            self.init(
                .reader, code: "update_interrupted", message: message.splitAtFix.0,
                fix: "plug the reader in and type: cardpresent readers update")
        case .readerSoftwareUpdateFailedServer:
            self.init(
                .badData, code: "firmware_unusable", message: message,
                fix: "name a DFU file for this reader in readers.firmware of the configuration")
        default: self.init(.reader, code: "reader_failed", message: message)
        }
    }

    init(_ error: JournalError) {
        let message = error.description
        switch error {
        case .storage(let error): self.init(error)
        case .paymentNotFound:
            self.init(.usage, code: "unknown_payment", message: message.splitAtFix.0, fix: message.splitAtFix.1)
        case .receiptNotFound:
            self.init(.usage, code: "unknown_receipt", message: message.splitAtFix.0, fix: message.splitAtFix.1)
        case .notRefundable: self.init(.usage, code: "not_refundable", message: message)
        case .refundTooLarge: self.init(.usage, code: "refund_too_large", message: message)
        case .notRetriable: self.init(.tryAgain, code: "not_retriable", message: message)
        case .notOurs, .captureNotOurs: self.init(.tryAgain, code: "busy", message: message)
        case .orderHasPayment(_, let id, let state):
            self.init(
                .tryAgain, code: "order_has_payment", message: message,
                fix: state == .pending || state == .unknown
                    ? "do not charge again: 'cardpresent payments recover' asks the host what became of it"
                    : "the store is told with 'cardpresent payments settle \(id)'; give the money back before another one"
            )
        case .nothingToCapture: self.init(.usage, code: "nothing_to_tell", message: message)
        case .moneyWentBack: self.init(.tryAgain, code: "refunded", message: message)
        case .money(let error): self.init(error)
        case .attemptNotFound, .printJobNotFound, .illegalTransition, .illegalCapture:
            self.init(.internalError, code: "internal", message: message)
        }
    }

    init(_ error: MoneyError) {
        let (message, fix) = error.description.splitAtFix
        switch error {
        case .unknownCurrency: self.init(.usage, code: "unknown_currency", message: message, fix: fix)
        case .malformed: self.init(.usage, code: "invalid_amount", message: message, fix: fix)
        case .tooManyDecimals, .negative, .tooLarge, .currencyMismatch:
            self.init(
                .usage, code: "invalid_amount", message: error.description, fix: "give a decimal such as 12.50")
        }
    }

    init(_ error: StorageError) {
        let (message, fix) = error.description.splitAtFix
        switch error {
        case .notWritable: self.init(.unavailable, code: "database_not_writable", message: message, fix: fix)
        case .diskFull: self.init(.unavailable, code: "disk_full", message: message, fix: fix)
        case .busy: self.init(.tryAgain, code: "database_busy", message: message, fix: fix)
        case .newerSchema: self.init(.badData, code: "newer_schema", message: message, fix: fix)
        case .corrupt: self.init(.badData, code: "database_corrupt", message: message, fix: fix)
        case .notADatabase: self.init(.badData, code: "not_a_database", message: message, fix: fix)
        case .foreignDatabase: self.init(.badData, code: "foreign_database", message: message, fix: fix)
        case .ruleBroken: self.init(.internalError, code: "internal", message: error.description)
        case .failed: self.init(.unavailable, code: "database_failed", message: error.description)
        }
    }

    init(_ error: ReceiptStoreError) {
        switch error {
        case .noStoreSite:
            let (message, fix) = error.description.splitAtFix
            self.init(.configuration, code: "no_store_site", message: message, fix: fix)
        case .noBackendReceipts:
            let (message, fix) = error.description.splitAtFix
            self.init(.unavailable, code: "no_backend_receipts", message: message, fix: fix)
        case .switchedOff:
            let (message, fix) = error.description.splitAtFix
            self.init(.configuration, code: "switched_off", message: message, fix: fix)
        case .site(let error): self.init(error)
        case .noReceipt: self.init(.usage, code: "no_receipt", message: error.description)
        case .unreadable: self.init(.badData, code: "receipt_unreadable", message: error.description)
        case .journal(let error): self.init(error)
        case .printer(let error): self.init(error)
        }
    }

    init(_ error: PrinterError) {
        let (message, fix): (String, String?) =
            switch error {
            case .rejected, .notReady, .jobNotFound, .jobFailed, .cancelled: (error.description, nil)
            case .libraryMissing, .serverUnavailable, .printerNotFound, .noDefaultPrinter, .unsupportedFormat,
                .unsupportedMedium, .unreachable, .interrupted, .noDrawer, .timedOut:
                error.description.splitAtFix
            }
        let code =
            switch error {
            case .libraryMissing: "cups_missing"
            case .serverUnavailable: "print_server_unavailable"
            case .printerNotFound: "unknown_printer"
            case .noDefaultPrinter: "no_default_printer"
            case .rejected: "print_rejected"
            case .unsupportedFormat: "unsupported_format"
            case .unsupportedMedium: "unsupported_medium"
            case .unreachable: "printer_unreachable"
            case .notReady: "printer_not_ready"
            case .interrupted: "print_interrupted"
            case .noDrawer: "no_drawer"
            case .jobNotFound: "unknown_print_job"
            case .jobFailed: "print_failed"
            case .timedOut: "print_timeout"
            case .cancelled: "cancelled"
            }
        self.init(error == .cancelled ? .cancelled : .printer, code: code, message: message, fix: fix)
    }
}

extension String {
    /// The text of an error that says what happened, and after the last colon or semicolon what to do about it.
    var splitAtFix: (String, String?) {
        var end = endIndex
        while let mark = self[..<end].lastIndex(where: { $0 == ":" || $0 == ";" }) {
            let rest = self[index(after: mark)...]
            // A path may hold such a mark, but hardly one before a blank.
            if rest.first == " " { return (String(self[..<mark]), String(rest.dropFirst())) }
            end = mark
        }
        return (self, nil)
    }
}
