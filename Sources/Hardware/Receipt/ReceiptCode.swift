/// How the payment's name stands on a receipt for a scanner.
public enum ReceiptCode: String, Hashable, Sendable, Codable, CaseIterable {
    case none
    /// A QR code (ISO/IEC 18004).
    case qr
    /// A Code 128 barcode (ISO/IEC 15417).
    case barcode
}
