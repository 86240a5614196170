import Payments
import Printing
import Receipts
import Yosemite

extension CommandFailure {
    init(_ error: ReceiptError) {
        switch error {
        case .libraryMissing:
            self.init(
                .unavailable, code: "drawing_library_missing", message: "\(error)",
                fix: "apt-get install libpangocairo-1.0-0")
        case .logoIsNoPNG, .logoTooLarge, .logoUnusable:
            self.init(
                .badData, code: "bad_logo", message: "\(error)",
                fix: "use a PNG image of at most \(ReceiptLogo.sideLimit) pixels per side")
        case .tooLongForPicture:
            self.init(.badData, code: "receipt_too_long", message: "\(error)", fix: "use --format pdf")
        case .codeTooLong, .noBarcode:
            self.init(.badData, code: "bad_code", message: "\(error)", fix: "set 'code: none' in the configuration")
        case .notDrawn, .notWritten, .noJSON: self.init(.internalError, code: "not_rendered", message: "\(error)")
        }
    }

    init(_ error: ReceiptStoreError) {
        switch error {
        case .noStoreSite: self.init(.configuration, code: "no_store_site", splitting: error.description)
        case .noBackendReceipts: self.init(.unavailable, code: "no_backend_receipts", splitting: error.description)
        case .switchedOff: self.init(.configuration, code: "switched_off", splitting: error.description)
        case .site(let error): self.init(error)
        case .noReceipt: self.init(.usage, code: "no_receipt", message: error.description)
        case .noRefund: self.init(.usage, code: "no_receipt", splitting: error.description)
        case .unreadable: self.init(.badData, code: "receipt_unreadable", message: error.description)
        case .journal(let error): self.init(error)
        case .printer(let error): self.init(error)
        case .notPrinted(_, let error):
            self.init(error)
            // Here nothing reached the printer, whatever the error means elsewhere.
            status = error == .canceled ? .canceled : .printer
        case .notRendered(_, let error): self.init(error)
        case .printUncertain:
            self.init(
                .outcomeUnknown, code: "print_unknown", message: error.description.splitAtFix.0,
                fix: "check the paper; a reprint is marked DUPLICATE")
        case .neverPrinted: self.init(.usage, code: "never_printed", splitting: error.description)
        case .printEnded: self.init(.usage, code: "print_ended", message: error.description)
        case .printBusy: self.init(.tryAgain, code: "busy", splitting: error.description)
        }
    }

    /// Creates the failure of a print's state; nil when the state is as expected.
    ///
    /// - Parameters:
    ///   - print: The print job.
    ///   - wasAwaited: Whether the command waited for the end of the job.
    init?(_ print: ReceiptPrint, wasAwaited: Bool) {
        let what = "\(print.name)\(PrintJobText.place(print))"
        switch print.state {
        case .completed: return nil
        case .queued, .accepted, .sent:
            guard print.isOpen, wasAwaited else { return nil }
            self.init(
                .outcomeUnknown, code: "print_timeout",
                message: "\(what) is still \(print.state.rawValue)\(PrintJobText.because(print))",
                fix:
                    "it stays in the queue; check it with 'cardpresent receipts jobs \(print.paymentName)' or cancel it "
                    + "with 'cardpresent receipts cancel \(print.name)'")
        case .failed:
            self.init(
                .printer, code: "print_failed", message: "\(what) failed\(PrintJobText.because(print))",
                fix: print.mayBePrinted
                    ? "check the paper; a reprint is marked DUPLICATE"
                    : "nothing was printed; try again")
        case .unknown:
            self.init(
                .outcomeUnknown, code: "print_unknown",
                message: "the printer did not report whether \(what) was printed\(PrintJobText.because(print))",
                fix: "check the paper; a reprint is marked DUPLICATE")
        }
    }

    init(_ error: PrinterError) {
        let (message, fix): (String, String?) =
            switch error {
            case .rejected, .notReady, .jobNotFound, .jobFailed, .canceled: (error.description, nil)
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
            case .canceled: "cancelled"
            }
        self.init(error == .canceled ? .canceled : .printer, code: code, message: message, fix: fix)
    }
}
