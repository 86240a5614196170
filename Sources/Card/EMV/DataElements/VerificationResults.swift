import Text

/// A data element of single bits, stored exactly as transmitted.
///
/// EMV counts bytes from 1 on the left and bits from 8 (0x80) down to 1 (0x01).
public protocol ByteFlags: OptionSet, Hashable, Sendable, CustomStringConvertible
where RawValue == UInt64, Element == Self {
    /// The length of the data element in bytes, 1...8.
    static var byteCount: Int { get }
}

extension ByteFlags {
    /// - Returns: nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// One or more bits of one byte.
    ///
    /// - Parameters:
    ///   - byte: 1...``byteCount``, from the left.
    ///   - mask: the bits, 0x80 for b8.
    init(byte: Int, _ mask: UInt8) {
        self.init(rawValue: UInt64(mask) << UInt64((Self.byteCount - byte) * 8))
    }

    /// The data element's value field.
    public var bytes: [UInt8] {
        (1...Self.byteCount).map { UInt8(truncatingIfNeeded: rawValue >> UInt64((Self.byteCount - $0) * 8)) }
    }

    /// Upper-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }
}

/// Terminal verification results, TVR (tag 95, EMV Book 3 annex C5).
public struct TerminalVerificationResults: ByteFlags {
    public static let byteCount = 5
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let offlineDataAuthenticationNotPerformed = Self(byte: 1, 0x80)
    public static let sdaFailed = Self(byte: 1, 0x40)
    public static let iccDataMissing = Self(byte: 1, 0x20)
    public static let cardOnExceptionFile = Self(byte: 1, 0x10)
    public static let ddaFailed = Self(byte: 1, 0x08)
    public static let cdaFailed = Self(byte: 1, 0x04)
    public static let sdaSelected = Self(byte: 1, 0x02)
    public static let xdaSelected = Self(byte: 1, 0x01)

    public static let versionsDiffer = Self(byte: 2, 0x80)
    public static let expiredApplication = Self(byte: 2, 0x40)
    public static let applicationNotYetEffective = Self(byte: 2, 0x20)
    public static let serviceNotAllowed = Self(byte: 2, 0x10)
    public static let newCard = Self(byte: 2, 0x08)
    public static let biometricSuccessful = Self(byte: 2, 0x02)
    public static let biometricFormatNotSupported = Self(byte: 2, 0x01)

    public static let cardholderVerificationFailed = Self(byte: 3, 0x80)
    public static let unrecognizedCVM = Self(byte: 3, 0x40)
    public static let pinTryLimitExceeded = Self(byte: 3, 0x20)
    /// PIN entry required and PIN pad not present or not working.
    public static let pinPadNotWorking = Self(byte: 3, 0x10)
    /// PIN entry required, PIN pad present, but PIN not entered.
    public static let pinNotEntered = Self(byte: 3, 0x08)
    public static let onlinePINEntered = Self(byte: 3, 0x04)
    /// Biometric required and capture device not present or not working.
    public static let biometricCaptureNotWorking = Self(byte: 3, 0x02)
    public static let biometricSubtypeBypassed = Self(byte: 3, 0x01)

    public static let floorLimitExceeded = Self(byte: 4, 0x80)
    public static let lowerOfflineLimitExceeded = Self(byte: 4, 0x40)
    public static let upperOfflineLimitExceeded = Self(byte: 4, 0x20)
    public static let randomlySelectedForOnline = Self(byte: 4, 0x10)
    public static let merchantForcedOnline = Self(byte: 4, 0x08)
    public static let biometricTryLimitExceeded = Self(byte: 4, 0x04)
    public static let biometricTypeNotSupported = Self(byte: 4, 0x02)
    public static let xdaFailed = Self(byte: 4, 0x01)

    public static let defaultTDOLUsed = Self(byte: 5, 0x80)
    public static let issuerAuthenticationFailed = Self(byte: 5, 0x40)
    public static let scriptFailedBeforeFinalCryptogram = Self(byte: 5, 0x20)
    public static let scriptFailedAfterFinalCryptogram = Self(byte: 5, 0x10)
    public static let relayResistanceThresholdExceeded = Self(byte: 5, 0x08)
    public static let certificationAuthorityECCKeyMissing = Self(byte: 5, 0x04)
    public static let eccKeyRecoveryFailed = Self(byte: 5, 0x02)
}

/// Transaction status information, TSI: the functions performed (tag 9B, EMV Book 3 annex C6).
public struct TransactionStatusInformation: ByteFlags {
    public static let byteCount = 2
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let offlineDataAuthenticationPerformed = Self(byte: 1, 0x80)
    public static let cardholderVerificationPerformed = Self(byte: 1, 0x40)
    public static let cardRiskManagementPerformed = Self(byte: 1, 0x20)
    public static let issuerAuthenticationPerformed = Self(byte: 1, 0x10)
    public static let terminalRiskManagementPerformed = Self(byte: 1, 0x08)
    public static let scriptProcessingPerformed = Self(byte: 1, 0x04)
}
