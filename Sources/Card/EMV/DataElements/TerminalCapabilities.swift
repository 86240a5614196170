/// Terminal type: operator, attendance, and online capability (tag 9F35, EMV Book 4 annex A1).
public struct TerminalType: RawRepresentable, Hashable, Sendable {
    /// Two BCD digits: 11...16, 21...26 or 34...36.
    public let rawValue: UInt8

    /// Takes the value of the data element; nil for a type that EMV does not define.
    public init?(rawValue: UInt8) {
        switch rawValue {
        case 0x11...0x16, 0x21...0x26, 0x34...0x36: self.rawValue = rawValue
        default: return nil
        }
    }

    /// The online capability of the terminal.
    public enum Connectivity: Hashable, Sendable { case onlineOnly, offlineWithOnline, offlineOnly }

    public var connectivity: Connectivity {
        switch rawValue & 0x0F {
        case 1, 4: .onlineOnly
        case 3, 6: .offlineOnly
        default: .offlineWithOnline
        }
    }

    /// Whether the terminal is attended.
    public var isAttended: Bool { rawValue & 0x0F <= 3 }

    /// Whether the terminal is unattended and run by a financial institution: an ATM if it dispenses cash.
    public var isUnattendedAtFinancialInstitution: Bool { (0x14...0x16).contains(rawValue) }

    private init(unchecked rawValue: UInt8) { self.rawValue = rawValue }

    /// 22: attended, merchant, offline with online capability.
    public static let attendedMerchant = TerminalType(unchecked: 0x22)
}

/// Terminal capabilities: card input, cardholder verification, and security (tag 9F33, EMV Book 4 annex A2).
public struct TerminalCapabilities: ByteFlags {
    public static let byteCount = 3
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
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

/// Additional terminal capabilities: transaction types, keys, printers, displays, and character sets (tag 9F40, EMV
/// Book 4 annex A3).
public struct AdditionalTerminalCapabilities: ByteFlags {
    public static let byteCount = 5
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
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

    /// Returns whether the terminal displays ISO/IEC 8859 part `part` (tag 9F11, 1...10).
    public func supportsCodeTable(_ part: UInt8) -> Bool {
        !isDisjoint(with: Self.codeTable(part))
    }

    /// Returns the bit for ISO/IEC 8859 part `part`; empty if EMV defines none.
    public static func codeTable(_ part: UInt8) -> Self {
        switch part {
        case 1...8: Self(byte: 5, 1 << (part - 1))
        case 9, 10: Self(byte: 4, 1 << (part - 9))
        default: []
        }
    }
}

/// Terminal transaction qualifiers, TTQ: what a contactless reader supports, and what it demands for a transaction (tag
/// 9F66, EMV Contactless Book A §5.7).
public struct TerminalTransactionQualifiers: ByteFlags {
    public static let byteCount = 4
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let magneticStripeMode = Self(byte: 1, 0x80)
    public static let emvMode = Self(byte: 1, 0x20)
    public static let contactChip = Self(byte: 1, 0x10)
    public static let offlineOnly = Self(byte: 1, 0x08)
    public static let onlinePIN = Self(byte: 1, 0x04)
    public static let signature = Self(byte: 1, 0x02)
    public static let offlineDataAuthenticationForOnline = Self(byte: 1, 0x01)

    /// Set for each transaction.
    public static let onlineCryptogramRequired = Self(byte: 2, 0x80)
    /// Set for each transaction.
    public static let cvmRequired = Self(byte: 2, 0x40)
    public static let contactChipOfflinePIN = Self(byte: 2, 0x20)

    public static let issuerUpdateProcessing = Self(byte: 3, 0x80)
    public static let consumerDeviceCVM = Self(byte: 3, 0x40)

    public static let fDDA = Self(byte: 4, 0x80)
}
