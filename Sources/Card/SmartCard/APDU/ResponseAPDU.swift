import Text

/// A card's answer: data and a status word (ISO/IEC 7816-4 §5.1).
public struct ResponseAPDU: Hashable, Sendable {
    /// 0...65,536 bytes.
    public let data: [UInt8]
    public let status: StatusWord

    /// Takes the data without the status word, up to 65,536 bytes.
    public init(data: [UInt8] = [], status: StatusWord) {
        (self.data, self.status) = (data, status)
    }

    /// Parses response data followed by SW1 SW2.
    ///
    /// - Throws: ``APDUError/responseTooShort(_:)``, ``APDUError/responseTooLong(_:)``
    public init(bytes: [UInt8]) throws(APDUError) {
        guard bytes.count >= 2 else { throw .responseTooShort(bytes.count) }
        guard bytes.count <= 65_538 else { throw .responseTooLong(bytes.count) }
        self.init(
            data: Array(bytes.dropLast(2)), status: StatusWord(bytes[bytes.count - 2], bytes[bytes.count - 1]))
    }

    /// Data followed by SW1 SW2.
    public var bytes: [UInt8] { data + [status.sw1, status.sw2] }
}

/// The two bytes SW1 SW2 that end every response (ISO/IEC 7816-4 §5.6).
public struct StatusWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    /// Takes both bytes as a number, SW1 highest: 0x9000.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Takes the two bytes apart, as a card sends them.
    public init(_ sw1: UInt8, _ sw2: UInt8) { rawValue = UInt16(sw1) << 8 | UInt16(sw2) }

    public var sw1: UInt8 { UInt8(rawValue >> 8) }
    public var sw2: UInt8 { UInt8(rawValue & 0xFF) }

    /// 9000
    public static let success = StatusWord(rawValue: 0x9000)
    /// 6283: the selected file is invalidated (EMV: application blocked).
    public static let selectedFileInvalidated = StatusWord(rawValue: 0x6283)
    /// 6300: authentication failed.
    public static let authenticationFailed = StatusWord(rawValue: 0x6300)
    /// 6700: wrong length.
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    /// 6982: security status not satisfied.
    public static let securityStatusNotSatisfied = StatusWord(rawValue: 0x6982)
    /// 6983: authentication method blocked.
    public static let authenticationMethodBlocked = StatusWord(rawValue: 0x6983)
    /// 6984: reference data invalidated.
    public static let referenceDataInvalidated = StatusWord(rawValue: 0x6984)
    /// 6985: conditions of use not satisfied.
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    /// 6A81: function not supported (EMV: card blocked or command unknown).
    public static let functionNotSupported = StatusWord(rawValue: 0x6A81)
    /// 6A82: file not found.
    public static let fileNotFound = StatusWord(rawValue: 0x6A82)
    /// 6A83: record not found.
    public static let recordNotFound = StatusWord(rawValue: 0x6A83)
    /// 6A86: incorrect parameters P1-P2.
    public static let incorrectParameters = StatusWord(rawValue: 0x6A86)
    /// 6A88: referenced data not found.
    public static let referencedDataNotFound = StatusWord(rawValue: 0x6A88)
    /// 6D00: instruction not supported.
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
    /// 6E00: class not supported.
    public static let classNotSupported = StatusWord(rawValue: 0x6E00)

    /// 6F00: no precise diagnosis.
    public static let noPreciseDiagnosis = StatusWord(rawValue: 0x6F00)

    /// 62xx or 63xx: processed with a warning.
    public var isWarning: Bool { sw1 == 0x62 || sw1 == 0x63 }

    /// Four hexadecimal digits, for example `6A82`.
    public var description: String { rawValue.hexadecimal }
}
