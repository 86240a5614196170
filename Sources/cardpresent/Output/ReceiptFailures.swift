internal import Receipts

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
                fix: "give a PNG picture of at most \(ReceiptLogo.sideLimit) pixels a side")
        case .tooLongForPicture:
            self.init(.badData, code: "receipt_too_long", message: "\(error)", fix: "take --format pdf")
        case .codeTooLong, .noBarcode:
            self.init(.badData, code: "bad_code", message: "\(error)", fix: "take 'code: none' in the configuration")
        case .notDrawn, .notWritten, .noJSON: self.init(.internalError, code: "not_rendered", message: "\(error)")
        }
    }
}
