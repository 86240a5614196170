/// What a card tells its issuer of the transaction, and of the one before: the card verification
/// results (CVR) within the issuer application data. The bits lie elsewhere in every scheme.
public struct CardVerificationResults: Hashable, Sendable {
    /// What the card answered to a GENERATE AC command.
    public enum Answer: UInt8, Hashable, Sendable {
        case aac = 0b00
        case tc = 0b01
        case arqc = 0b10
    }

    /// The answer to the first GENERATE AC.
    public var first: Answer
    /// The answer to the second GENERATE AC; nil as long as there was none.
    public var second: Answer?
    /// The PIN was verified by the card, rightly or wrongly.
    public var offlinePINPerformed: Bool
    /// The PIN was verified by the card and wrong.
    public var offlinePINFailed: Bool
    /// The PIN came to the card enciphered.
    public var offlinePINEnciphered: Bool
    /// No tries are left.
    public var pinTryLimitExceeded: Bool
    /// Tries left.
    public var pinTriesLeft: UInt8
    /// The card authenticated the issuer, rightly or wrongly.
    public var issuerAuthenticationPerformed: Bool
    /// The card authenticated the issuer, and the ARPC was wrong.
    public var issuerAuthenticationFailed: Bool
    /// The terminal could not go online.
    public var unableToGoOnline: Bool
    /// The last transaction went online and never came to its end.
    public var lastOnlineNotCompleted: Bool
    /// The card has never been online.
    public var isNewCard: Bool
    /// Dynamic data authentication was performed.
    public var dynamicDataAuthenticationPerformed: Bool
    /// The answer to GENERATE AC was signed.
    public var combinedDataAuthenticationPerformed: Bool
    /// What the issuer said at the last transaction online was wrong: its authentication failed.
    public var lastIssuerAuthenticationFailed = false
    /// The last transaction was approved online without the issuer having proved itself.
    public var lastIssuerAuthenticationMissing = false
    /// The last transaction was declined offline after static data authentication had failed.
    public var lastStaticAuthenticationFailed = false
    /// The last transaction was declined offline after dynamic data authentication had failed.
    public var lastDynamicAuthenticationFailed = false
    /// The issuer told the card to go online with this transaction.
    public var goesOnlineNextTime = false
    /// Which limits of offline payments this transaction passes.
    public var exceededLimits: OfflineLimits.Exceeded = []
    /// The terminal stands in another country than the issuer; nil when the terminal did not say.
    public var isInternational: Bool?
    /// The card has a PIN to verify, and was not asked to.
    public var expectedPINMissing = false
    /// Issuer script commands that were processed.
    public var scriptCommandCount: UInt8
    /// An issuer script command failed.
    public var scriptFailed: Bool

    public init(first: Answer, second: Answer? = nil, pinTriesLeft: UInt8 = 3) {
        (self.first, self.second, self.pinTriesLeft) = (first, second, pinTriesLeft)
        (offlinePINPerformed, offlinePINFailed, offlinePINEnciphered) = (false, false, false)
        pinTryLimitExceeded = pinTriesLeft == 0
        (issuerAuthenticationPerformed, issuerAuthenticationFailed) = (false, false)
        (unableToGoOnline, lastOnlineNotCompleted, isNewCard) = (false, false, false)
        (dynamicDataAuthenticationPerformed, combinedDataAuthenticationPerformed) = (false, false)
        (scriptCommandCount, scriptFailed) = (0, false)
    }

    /// The bytes as they stand in the issuer application data of `version`: 4 bytes (a length and
    /// three bytes) for Visa, 6 bytes for M/Chip, 5 bytes for the common core definitions.
    public func encoded(_ version: CryptogramVersion) -> [UInt8] {
        switch version {
        case .cvn10, .cvn18: visa
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000: mChip
        case .aes: commonCore
        }
    }

    /// The answers, in the high nibble in all schemes: `10` stands for a second one not asked for.
    private var answers: UInt8 { (second?.rawValue ?? 0b10) << 6 | first.rawValue << 4 }

    private var visa: [UInt8] {
        [
            0x03,
            answers
                | bits([
                    (0x08, issuerAuthenticationFailed), (0x04, offlinePINPerformed), (0x02, offlinePINFailed),
                    (0x01, unableToGoOnline),
                ]),
            bits([
                (0x80, lastOnlineNotCompleted), (0x40, pinTryLimitExceeded), (0x20, !exceededLimits.isEmpty),
                (0x10, isNewCard), (0x08, lastIssuerAuthenticationFailed), (0x04, lastIssuerAuthenticationMissing),
                (0x01, lastStaticAuthenticationFailed),
            ]),
            min(scriptCommandCount, 15) << 4
                | bits([
                    (0x08, scriptFailed), (0x04, lastDynamicAuthenticationFailed),
                    (0x02, dynamicDataAuthenticationPerformed), (0x01, expectedPINMissing),
                ]),
        ]
    }

    private var mChip: [UInt8] {
        [
            answers
                | bits([
                    (0x04, offlinePINPerformed), (0x02, offlinePINPerformed && offlinePINEnciphered),
                    (0x01, offlinePINPerformed && !offlinePINFailed),
                ]),
            bits([
                (0x80, dynamicDataAuthenticationPerformed),
                (0x40, combinedDataAuthenticationPerformed && second == nil),
                (0x20, combinedDataAuthenticationPerformed && second != nil), (0x10, issuerAuthenticationPerformed),
            ]),
            min(scriptCommandCount, 15) << 4 | min(pinTriesLeft, 15),
            bits([
                (0x80, lastOnlineNotCompleted), (0x40, unableToGoOnline), (0x20, !offlinePINPerformed),
                (0x10, offlinePINFailed), (0x08, pinTryLimitExceeded), (0x04, isInternational == true),
                (0x02, isInternational == false),
            ]),
            bits([
                (0x80, exceededLimits.contains(.lowerCount)), (0x40, exceededLimits.contains(.upperCount)),
                (0x20, exceededLimits.contains(.lowerAmount)), (0x10, exceededLimits.contains(.upperAmount)),
                (0x08, goesOnlineNextTime), (0x04, issuerAuthenticationFailed || lastIssuerAuthenticationFailed),
                (0x02, scriptCommandCount > 0 || scriptFailed), (0x01, scriptFailed),
            ]),
            0,
        ]
    }

    private var commonCore: [UInt8] {
        [
            answers
                | bits([
                    (0x08, combinedDataAuthenticationPerformed), (0x04, dynamicDataAuthenticationPerformed),
                    (0x02, !issuerAuthenticationPerformed), (0x01, issuerAuthenticationFailed),
                ]),
            min(pinTriesLeft, 15) << 4
                | bits([
                    (0x08, offlinePINPerformed), (0x04, offlinePINFailed), (0x02, pinTryLimitExceeded),
                    (0x01, lastOnlineNotCompleted),
                ]),
            bits([
                (0x80, exceededLimits.contains(.lowerCount)), (0x40, exceededLimits.contains(.upperCount)),
                (0x20, exceededLimits.contains(.lowerAmount)), (0x10, exceededLimits.contains(.upperAmount)),
            ]),
            min(scriptCommandCount, 15) << 4
                | bits([
                    (0x08, scriptFailed), (0x04, lastStaticAuthenticationFailed || lastDynamicAuthenticationFailed),
                    (0x02, goesOnlineNextTime), (0x01, unableToGoOnline),
                ]),
            0,
        ]
    }

    private func bits(_ flags: [(UInt8, Bool)]) -> UInt8 {
        flags.reduce(0) { $1.1 ? $0 | $1.0 : $0 }
    }
}
