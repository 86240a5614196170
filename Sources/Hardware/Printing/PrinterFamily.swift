/// Whose commands a receipt printer obeys.
public enum PrinterFamily: String, Hashable, Sendable, Codable, CaseIterable {
    /// Epson's ESC/POS, which most others obey as well.
    case epson
    /// Star's line mode.
    case star
}
