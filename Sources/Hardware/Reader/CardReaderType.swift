/// What kind of device a reader is.
public enum CardReaderType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A USB chip card interface device (USB CCID 1.10).
    case ccid
    /// A chip card reader that pcscd drives, and that is shared with other programs.
    case pcsc
}
