/// Which functions a transaction went through (tag 9B, EMV Book 3 annex C6).
public struct TransactionStatusInformation: ByteFlags {
    public static let byteCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let offlineDataAuthenticationPerformed = Self(byte: 1, 0x80)
    public static let cardholderVerificationPerformed = Self(byte: 1, 0x40)
    public static let cardRiskManagementPerformed = Self(byte: 1, 0x20)
    public static let issuerAuthenticationPerformed = Self(byte: 1, 0x10)
    public static let terminalRiskManagementPerformed = Self(byte: 1, 0x08)
    public static let scriptProcessingPerformed = Self(byte: 1, 0x04)
}
