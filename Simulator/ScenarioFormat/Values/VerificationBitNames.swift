internal import EMV

/// The names that the bits of the terminal's results have in scenario files.
public enum VerificationBitNames {
    /// Tag 95.
    static let tvr: KeyValuePairs<String, TerminalVerificationResults> = [
        "offlineDataAuthenticationNotPerformed": .offlineDataAuthenticationNotPerformed, "sdaFailed": .sdaFailed,
        "iccDataMissing": .iccDataMissing, "cardOnExceptionFile": .cardOnExceptionFile, "ddaFailed": .ddaFailed,
        "cdaFailed": .cdaFailed, "sdaSelected": .sdaSelected, "versionsDiffer": .versionsDiffer,
        "expiredApplication": .expiredApplication, "applicationNotYetEffective": .applicationNotYetEffective,
        "serviceNotAllowed": .serviceNotAllowed, "newCard": .newCard,
        "cardholderVerificationFailed": .cardholderVerificationFailed, "unrecognisedCVM": .unrecognisedCVM,
        "pinTryLimitExceeded": .pinTryLimitExceeded, "pinPadNotWorking": .pinPadNotWorking,
        "pinNotEntered": .pinNotEntered, "onlinePINEntered": .onlinePINEntered,
        "floorLimitExceeded": .floorLimitExceeded, "lowerOfflineLimitExceeded": .lowerOfflineLimitExceeded,
        "upperOfflineLimitExceeded": .upperOfflineLimitExceeded,
        "randomlySelectedForOnline": .randomlySelectedForOnline, "merchantForcedOnline": .merchantForcedOnline,
        "defaultTDOLUsed": .defaultTDOLUsed, "issuerAuthenticationFailed": .issuerAuthenticationFailed,
        "scriptFailedBeforeFinalCryptogram": .scriptFailedBeforeFinalCryptogram,
        "scriptFailedAfterFinalCryptogram": .scriptFailedAfterFinalCryptogram,
    ]

    /// Tag 9B.
    static let tsi: KeyValuePairs<String, TransactionStatusInformation> = [
        "offlineDataAuthenticationPerformed": .offlineDataAuthenticationPerformed,
        "cardholderVerificationPerformed": .cardholderVerificationPerformed,
        "cardRiskManagementPerformed": .cardRiskManagementPerformed,
        "issuerAuthenticationPerformed": .issuerAuthenticationPerformed,
        "terminalRiskManagementPerformed": .terminalRiskManagementPerformed,
        "scriptProcessingPerformed": .scriptProcessingPerformed,
    ]

    /// The names of the bits that are set in tag 95; nil unless there are five bytes.
    public static func names(inTVR bytes: [UInt8]) -> [String]? {
        TerminalVerificationResults(bytes: bytes).map { bits in tvr.filter { bits.contains($0.value) }.map(\.key) }
    }

    /// The names of the bits that are set in tag 9B; nil unless there are two bytes.
    public static func names(inTSI bytes: [UInt8]) -> [String]? {
        TransactionStatusInformation(bytes: bytes).map { bits in tsi.filter { bits.contains($0.value) }.map(\.key) }
    }
}
