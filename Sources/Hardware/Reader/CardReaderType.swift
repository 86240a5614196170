/// What kind of device a reader is.
public enum CardReaderType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A USB chip card interface device (USB CCID 1.10).
    case ccid
    /// A chip card reader that pcscd drives, and that is shared with other programs.
    case pcsc
    /// A USB magnetic stripe reader (HID point of sale usage tables, and what vendors made of them).
    case magneticStripe
}
