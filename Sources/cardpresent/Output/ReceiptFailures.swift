internal import Receipts

extension CommandFailure {
    /// - Parameters:
    ///   - error: why a receipt is not rendered.
    ///   - logo: the file of its picture, where somebody named one.
    init(_ error: ReceiptError, logo: String? = nil) {
        switch error {
        case .libraryMissing:
            self.init(
                .unavailable, code: "drawing_library_missing", message: "\(error)",
                fix: "apt-get install libpangocairo-1.0-0")
        case .logoIsNoPNG, .logoTooLarge, .logoUnusable:
            self.init(
                .badData, code: "bad_logo", message: (logo.map { "'\($0)': " } ?? "") + "\(error)",
                fix: "give a PNG picture of at most \(ReceiptLogo.sideLimit) pixels a side")
        case .tooLongForPicture:
            self.init(.badData, code: "receipt_too_long", message: "\(error)", fix: "take --format pdf")
        case .codeTooLong, .noBarcode:
            self.init(.badData, code: "bad_code", message: "\(error)", fix: "take 'code: none' in the configuration")
        case .notDrawn, .notWritten, .noJSON: self.init(.internalError, code: "not_rendered", message: "\(error)")
        }
    }
}
