/// Application interchange profile: the functions that the card's application supports (tag 82, EMV Book 3 annex C1).
public struct ApplicationInterchangeProfile: ByteFlags {
    public static let byteCount = 2
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let xda = Self(byte: 1, 0x80)
    public static let sda = Self(byte: 1, 0x40)
    public static let dda = Self(byte: 1, 0x20)
    public static let cardholderVerification = Self(byte: 1, 0x10)
    public static let terminalRiskManagement = Self(byte: 1, 0x08)
    /// Issuer authentication with EXTERNAL AUTHENTICATE is supported.
    public static let issuerAuthentication = Self(byte: 1, 0x04)
    public static let onDeviceCardholderVerification = Self(byte: 1, 0x02)
    public static let cda = Self(byte: 1, 0x01)
}

/// Application usage control: the services and regions that the issuer allows (tag 9F07, EMV Book 3 annex C2).
public struct ApplicationUsageControl: ByteFlags {
    public static let byteCount = 2
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let domesticCash = Self(byte: 1, 0x80)
    public static let internationalCash = Self(byte: 1, 0x40)
    public static let domesticGoods = Self(byte: 1, 0x20)
    public static let internationalGoods = Self(byte: 1, 0x10)
    public static let domesticServices = Self(byte: 1, 0x08)
    public static let internationalServices = Self(byte: 1, 0x04)
    public static let atms = Self(byte: 1, 0x02)
    public static let terminalsOtherThanATMs = Self(byte: 1, 0x01)
    public static let domesticCashback = Self(byte: 2, 0x80)
    public static let internationalCashback = Self(byte: 2, 0x40)
}

/// The type of an application cryptogram (EMV Book 3 §6.5.5, §10.8).
public enum CryptogramType: UInt8, Hashable, Sendable {
    /// Application authentication cryptogram: declined.
    case aac = 0x00
    /// Transaction certificate: approved.
    case tc = 0x40
    /// Authorization request cryptogram: go online.
    case arqc = 0x80

    /// Returns whether the card may answer with `answer` to a request for this type: never a higher type than
    /// requested.
    func permits(_ answer: CryptogramType) -> Bool {
        switch self {
        case .tc: true
        case .arqc: answer != .tc
        case .aac: answer == .aac
        }
    }
}

/// Cryptogram information data (tag 9F27, EMV Book 3 §6.5.5 table 14).
public struct CryptogramInformationData: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    /// Takes the byte as the card sent it, reserved bits too.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Why the card declined (b3...b1).
    public enum Reason: UInt8, Hashable, Sendable {
        case none = 0
        case serviceNotAllowed = 1
        case pinTryLimitExceeded = 2
        case issuerAuthenticationFailed = 3
    }

    /// The cryptogram type; nil for the reserved value 11 in b8 and b7.
    public var type: CryptogramType? { CryptogramType(rawValue: rawValue & 0xC0) }

    /// Whether the card requires an advice to the issuer (b4).
    public var isAdviceRequired: Bool { rawValue & 0x08 != 0 }

    /// The reason; nil for a reserved value.
    public var reason: Reason? { Reason(rawValue: rawValue & 0x07) }
}
