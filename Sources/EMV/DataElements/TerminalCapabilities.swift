/// What the terminal reads, verifies and authenticates (tag 9F33, EMV Book 4 annex A2).
public struct TerminalCapabilities: ByteFlags {
    public static let byteCount = 3
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let manualKeyEntry = Self(byte: 1, 0x80)
    public static let magneticStripe = Self(byte: 1, 0x40)
    public static let contactChip = Self(byte: 1, 0x20)

    public static let plaintextOfflinePIN = Self(byte: 2, 0x80)
    public static let encipheredOnlinePIN = Self(byte: 2, 0x40)
    public static let signature = Self(byte: 2, 0x20)
    public static let encipheredOfflinePIN = Self(byte: 2, 0x10)
    public static let noCVMRequired = Self(byte: 2, 0x08)
    public static let onlineBiometric = Self(byte: 2, 0x04)
    public static let offlineBiometric = Self(byte: 2, 0x02)
    public static let encipheredOfflinePINWithECC = Self(byte: 2, 0x01)

    public static let sda = Self(byte: 3, 0x80)
    public static let dda = Self(byte: 3, 0x40)
    public static let cardCapture = Self(byte: 3, 0x20)
    public static let cda = Self(byte: 3, 0x08)
    public static let xda = Self(byte: 3, 0x04)
}
