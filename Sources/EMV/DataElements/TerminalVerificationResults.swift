/// What the terminal found out in the course of a transaction (tag 95, EMV Book 3 annex C5).
public struct TerminalVerificationResults: ByteFlags {
    public static let byteCount = 5
    public let rawValue: UInt64

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
    public static let unrecognisedCVM = Self(byte: 3, 0x40)
    public static let pinTryLimitExceeded = Self(byte: 3, 0x20)
    /// PIN entry required, and the PIN pad is not there or does not work.
    public static let pinPadNotWorking = Self(byte: 3, 0x10)
    /// PIN entry required, PIN pad there, PIN not entered.
    public static let pinNotEntered = Self(byte: 3, 0x08)
    public static let onlinePINEntered = Self(byte: 3, 0x04)
    /// Biometric required, and the capture device is not there or does not work.
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
