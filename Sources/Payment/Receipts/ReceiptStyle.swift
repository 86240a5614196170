public import Payments

/// The style of a shop's receipts: the same for every payment, and not stored with it.
public struct ReceiptStyle: Hashable, Sendable {
    public var logo: ReceiptLogo?
    /// Lines above everything else except the logo.
    public var header: [String]
    /// Lines at the end.
    public var footer: [String]
    public var locale: ReceiptLocale
    /// Whether every receipt is in ``locale``, also one whose card chose another language.
    public var isLocaleFixed = false
    public var paper: PaperSize
    /// The columns of text and of a receipt printer's built-in font, 24...80; nil for those of the paper.
    public var columns: Int?
    /// The form of the payment's name for scanners.
    public var code: ReceiptCode
    /// The region of the till.
    public var region: ReceiptRegion

    /// English on 80 mm paper, with a QR code, without a logo or lines of the shop.
    public init(
        logo: ReceiptLogo? = nil, header: [String] = [], footer: [String] = [], locale: ReceiptLocale = .english,
        paper: PaperSize = .roll80, columns: Int? = nil, code: ReceiptCode = .qr, region: ReceiptRegion = .other
    ) {
        (self.logo, self.header, self.footer, self.locale) = (logo, header, footer, locale)
        (self.paper, self.columns, self.code, self.region) = (paper, columns, code, region)
    }

    /// Returns the style in the language that the card of a receipt chose; nil for the configured language.
    public func speaking(_ language: ReceiptLanguage?) -> ReceiptStyle {
        guard let language, !isLocaleFixed else { return self }
        var style = self
        style.locale = ReceiptLocale(language)
        return style
    }
}

/// A merchant's logo: a PNG file of a size that fits a receipt.
public struct ReceiptLogo: Hashable, Sendable {
    /// The file's bytes.
    public let png: [UInt8]
    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int

    /// The maximum file size, in bytes.
    public static let byteLimit = 1_048_576
    /// The maximum length of a side, in pixels.
    public static let sideLimit = 4096

    /// Reads the header of the file (PNG, W3C recommendation, §5.2 and §11.2.1).
    ///
    /// - Throws: ``ReceiptError/logoIsNoPNG``, ``ReceiptError/logoTooLarge(width:height:)``
    public init(png: [UInt8]) throws(ReceiptError) {
        let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard png.count >= 33, png.starts(with: head) else { throw .logoIsNoPNG }
        let width = png[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let height = png[20..<24].reduce(0) { $0 << 8 | Int($1) }
        guard width > 0, height > 0 else { throw .logoIsNoPNG }
        guard width <= Self.sideLimit, height <= Self.sideLimit, png.count <= Self.byteLimit else {
            throw .logoTooLarge(width: width, height: height)
        }
        (self.png, self.width, self.height) = (png, width, height)
    }
}

/// Why a receipt cannot be rendered.
public enum ReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpangocairo, or one of its functions, is missing; with the system's message.
    case libraryMissing(String)
    /// The logo is not a PNG file, or is damaged.
    case logoIsNoPNG
    case logoTooLarge(width: Int, height: Int)
    /// The logo's file cannot be read or used; with the reason.
    case logoUnusable(path: String, reason: String)
    /// An image has at most ``PictureRenderer/heightLimit`` pixels.
    case tooLongForPicture(height: Int)
    /// Drawing failed; with the status of cairo.
    case notDrawn(status: Int)
    /// The receiver of the file rejected a part of it.
    case notWritten
    /// The text of the code is too long for the paper, in bytes.
    case codeTooLong(bytes: Int, limit: Int)
    /// A barcode text must be printable ASCII and not empty.
    case noBarcode
    /// The document cannot be encoded as JSON; with the encoder's message.
    case noJSON(String)

    public var description: String {
        switch self {
        case .libraryMissing(let reason):
            "cannot draw receipts: \(reason). Install the package libpangocairo-1.0-0"
        case .logoIsNoPNG: "the logo is not a PNG image"
        case .logoTooLarge(let width, let height):
            "the logo of \(width)×\(height) pixels is too large: at most \(ReceiptLogo.sideLimit) a side, "
                + "and \(ReceiptLogo.byteLimit) bytes"
        case .logoUnusable(let path, let reason): "cannot use the logo '\(path)': \(reason)"
        case .tooLongForPicture(let height):
            "the receipt is too long for one image: \(height) of at most \(PictureRenderer.heightLimit) pixels"
        case .notDrawn(let status): "cannot draw the receipt: cairo status \(status)"
        case .notWritten: "cannot write the file of the receipts"
        case .codeTooLong(let bytes, let limit):
            "the code's text of \(bytes) bytes is too long: at most \(limit) fit on this paper"
        case .noBarcode: "the text cannot be a barcode: it must be printable ASCII and not empty"
        case .noJSON(let reason): "cannot write the receipt as JSON: \(reason)"
        }
    }
}
