/// The transactions, keys, displays and characters of the terminal (tag 9F40, EMV Book 4 annex A3).
public struct AdditionalTerminalCapabilities: ByteFlags {
    public static let byteCount = 5
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let cash = Self(byte: 1, 0x80)
    public static let goods = Self(byte: 1, 0x40)
    public static let services = Self(byte: 1, 0x20)
    public static let cashback = Self(byte: 1, 0x10)
    public static let inquiry = Self(byte: 1, 0x08)
    public static let transfer = Self(byte: 1, 0x04)
    public static let payment = Self(byte: 1, 0x02)
    public static let administrative = Self(byte: 1, 0x01)
    public static let cashDeposit = Self(byte: 2, 0x80)

    public static let numericKeys = Self(byte: 3, 0x80)
    public static let alphabeticKeys = Self(byte: 3, 0x40)
    public static let commandKeys = Self(byte: 3, 0x20)
    public static let functionKeys = Self(byte: 3, 0x10)

    public static let attendantPrinter = Self(byte: 4, 0x80)
    public static let cardholderPrinter = Self(byte: 4, 0x40)
    public static let attendantDisplay = Self(byte: 4, 0x20)
    public static let cardholderDisplay = Self(byte: 4, 0x10)

    /// Whether the terminal shows the characters of ISO/IEC 8859 part `part` (tag 9F11, 1...10).
    public func supportsCodeTable(_ part: UInt8) -> Bool {
        !isDisjoint(with: Self.codeTable(part))
    }

    /// The bit that announces ISO/IEC 8859 part `part`; empty when EMV knows no such table.
    public static func codeTable(_ part: UInt8) -> Self {
        switch part {
        case 1...8: Self(byte: 5, 1 << (part - 1))
        case 9, 10: Self(byte: 4, 1 << (part - 9))
        default: []
        }
    }
}
