internal import ArgumentParser

/// As what a receipt is rendered.
enum ReceiptFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case html
    case pdf
    case png
    case escpos
    case json

    /// Whether a terminal would obey its bytes instead of showing them.
    var isBinary: Bool {
        switch self {
        case .pdf, .png, .escpos: true
        case .text, .html, .json: false
        }
    }

    /// Whether many receipts can be one file.
    var isSeries: Bool { self != .png && self != .escpos }

    /// Whether both copies of a receipt can be one file.
    var takesBothCopies: Bool { self != .png && self != .json }

    /// Whether it has columns.
    var hasColumns: Bool { self == .text || self == .escpos }

    /// Whether a logo can be seen on it.
    var hasPictures: Bool {
        switch self {
        case .html, .pdf, .png, .escpos: true
        case .text, .json: false
        }
    }
}
