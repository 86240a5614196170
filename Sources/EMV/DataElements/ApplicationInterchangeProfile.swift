/// What the card's application can do (tag 82, EMV Book 3 annex C1).
public struct ApplicationInterchangeProfile: ByteFlags {
    public static let byteCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let xda = Self(byte: 1, 0x80)
    public static let sda = Self(byte: 1, 0x40)
    public static let dda = Self(byte: 1, 0x20)
    public static let cardholderVerification = Self(byte: 1, 0x10)
    public static let terminalRiskManagement = Self(byte: 1, 0x08)
    /// The card takes the issuer's authentication data by EXTERNAL AUTHENTICATE.
    public static let issuerAuthentication = Self(byte: 1, 0x04)
    public static let onDeviceCardholderVerification = Self(byte: 1, 0x02)
    public static let cda = Self(byte: 1, 0x01)
}
