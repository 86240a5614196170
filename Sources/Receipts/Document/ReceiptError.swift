/// Why a receipt cannot be rendered.
public enum ReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpangocairo, or a function of it, is not there; what the system says about it.
    case libraryMissing(String)
    /// What was given as a logo is no PNG file, or a damaged one.
    case logoIsNoPNG
    case logoTooLarge(width: Int, height: Int)
    /// The file of the logo cannot be read, or is none that can be used; what is wrong with it.
    case logoUnusable(path: String, reason: String)
    /// A picture has at most ``PictureRenderer/heightLimit`` pixels.
    case tooLongForPicture(height: Int)
    /// Drawing failed; the status of cairo.
    case notDrawn(status: Int)
    /// Whoever gets the file did not take all of it.
    case notWritten
    /// The code for scanners has too much text for the paper, in bytes.
    case codeTooLong(bytes: Int, limit: Int)
    /// A barcode has printable ASCII alone, and some of it.
    case noBarcode
    /// The document cannot be written as JSON; what the encoder says about it.
    case noJSON(String)

    public var description: String {
        switch self {
        case .libraryMissing(let reason):
            "receipts cannot be drawn: \(reason). Install the package libpangocairo-1.0-0"
        case .logoIsNoPNG: "the logo is no PNG picture"
        case .logoTooLarge(let width, let height):
            "the logo of \(width)×\(height) pixels is too large: at most \(ReceiptLogo.sideLimit) a side, "
                + "and \(ReceiptLogo.byteLimit) bytes"
        case .logoUnusable(let path, let reason): "the logo '\(path)' cannot be used: \(reason)"
        case .tooLongForPicture(let height):
            "the receipt is too long for one picture: \(height) of at most \(PictureRenderer.heightLimit) pixels"
        case .notDrawn(let status): "the receipt cannot be drawn: cairo says \(status)"
        case .notWritten: "the file of the receipts cannot be written"
        case .codeTooLong(let bytes, let limit):
            "the code's text of \(bytes) bytes is too long: at most \(limit) fit on this paper"
        case .noBarcode: "the code's text is no barcode: it has printable ASCII characters, one or more"
        case .noJSON(let reason): "the receipt cannot be written as JSON: \(reason)"
        }
    }
}
