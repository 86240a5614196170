/// A part of a receipt in its language, before it has a width or a format.
public enum ReceiptBlock: Hashable, Sendable {
    public enum Alignment: Hashable, Sendable {
        /// Where a line begins: the left, or the right in a script that runs from there.
        case leading
        case center
    }

    case logo(ReceiptLogo)
    /// The merchant's name, or what happened: large, in the middle.
    case title(String)
    case text(String, Alignment = .center, isStrong: Bool = false)
    /// A name where a line begins and a value at its end.
    case row(String, String, isStrong: Bool = false)
    case rule
    /// A QR code.
    case code(String)
    /// A Code 128 barcode.
    case barcode(String)
    /// A line to sign on, and what it is called.
    case signature(String)
    case space
    case cut
}
