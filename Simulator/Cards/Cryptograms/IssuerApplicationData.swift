/// Issuer application data (tag 9F10): data that the card sends to its issuer with the cryptogram, in the scheme's
/// layout.
public struct IssuerApplicationData: Hashable, Sendable {
    public let version: CryptogramVersion
    /// The index of the issuer master key from which the card's keys are derived.
    public let derivationKeyIndex: UInt8
    /// The card verification results, encoded: see ``CardVerificationResults/encoded(_:)``.
    public let cardVerificationResults: [UInt8]
    /// The whole value of tag 9F10, 7...32 bytes.
    public let encoded: [UInt8]

    /// Takes the version of the cryptogram, the index of the key it is derived from, and the card's report.
    public init(version: CryptogramVersion, derivationKeyIndex: UInt8, results: CardVerificationResults) {
        (self.version, self.derivationKeyIndex) = (version, derivationKeyIndex)
        cardVerificationResults = results.encoded(version)
        encoded =
            switch version {
            case .cvn10: [0x06, derivationKeyIndex, 0x0A] + cardVerificationResults
            case .cvn18: [0x06, derivationKeyIndex, 0x12] + cardVerificationResults
            // The data authentication code, then counters that this card does not disclose.
            case .mChip: [derivationKeyIndex, 0x10] + cardVerificationResults + Self.zeros(10)
            case .mChipEMV2000: [derivationKeyIndex, 0x12] + cardVerificationResults + Self.zeros(10)
            case .mChipCommonSessionKey: [derivationKeyIndex, 0x14] + cardVerificationResults + Self.zeros(10)
            // Length, common core identifier, key index, CVR, counters; length and discretionary data.
            case .aes:
                [0x0F, 0xA6, derivationKeyIndex] + cardVerificationResults + Self.zeros(8) + [0x0F] + Self.zeros(15)
            }
    }

    /// Decodes a value of tag 9F10.
    ///
    /// - Throws: ``CryptogramError/unknownIssuerApplicationData``
    public init(decoding bytes: [UInt8]) throws(CryptogramError) {
        guard let (version, keyIndex, results) = Self.layout(bytes) else { throw .unknownIssuerApplicationData }
        (self.version, derivationKeyIndex, cardVerificationResults) = (version, keyIndex, Array(results))
        encoded = bytes
    }

    private static func layout(_ bytes: [UInt8]) -> (CryptogramVersion, UInt8, ArraySlice<UInt8>)? {
        guard bytes.count >= 7 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes.count) {
        case (0x0F, 0xA6, let keyIndex, 32): return (.aes, keyIndex, bytes[3..<8])
        case (0x06, let keyIndex, 0x0A, 7...32): return (.cvn10, keyIndex, bytes[3..<7])
        case (0x06, let keyIndex, 0x12, 7...32): return (.cvn18, keyIndex, bytes[3..<7])
        case (let keyIndex, 0x10, _, 18): return (.mChip, keyIndex, bytes[2..<8])
        case (let keyIndex, 0x12, _, 18): return (.mChipEMV2000, keyIndex, bytes[2..<8])
        case (let keyIndex, 0x14, _, 18): return (.mChipCommonSessionKey, keyIndex, bytes[2..<8])
        default: return nil
        }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

/// The card verification results (CVR) in the issuer application data: the card's report on this and the previous
/// transaction. Every scheme has its own bit layout.
public struct CardVerificationResults: Hashable, Sendable {
    /// The card's response to a GENERATE AC command.
    public enum Answer: UInt8, Hashable, Sendable {
        case aac = 0b00
        case tc = 0b01
        case arqc = 0b10
    }

    /// The response to the first GENERATE AC.
    public var first: Answer
    /// The response to the second GENERATE AC; nil before it.
    public var second: Answer?
    /// The card verified a PIN, whether correct or not.
    public var offlinePINPerformed: Bool
    /// The card verified a PIN and it was wrong.
    public var offlinePINFailed: Bool
    /// The PIN was enciphered.
    public var offlinePINEnciphered: Bool
    /// No PIN tries are left.
    public var pinTryLimitExceeded: Bool
    /// The number of PIN tries left.
    public var pinTriesLeft: UInt8
    /// The card authenticated the issuer, successfully or not.
    public var issuerAuthenticationPerformed: Bool
    /// The card authenticated the issuer, and the ARPC was wrong.
    public var issuerAuthenticationFailed: Bool
    /// The terminal could not go online.
    public var unableToGoOnline: Bool
    /// The last transaction went online but was not completed.
    public var lastOnlineNotCompleted: Bool
    /// The card has never been online.
    public var isNewCard: Bool
    /// Dynamic data authentication was performed.
    public var dynamicDataAuthenticationPerformed: Bool
    /// The response to GENERATE AC was signed.
    public var combinedDataAuthenticationPerformed: Bool
    /// Issuer authentication failed in the last online transaction.
    public var lastIssuerAuthenticationFailed = false
    /// The last transaction was approved online without issuer authentication.
    public var lastIssuerAuthenticationMissing = false
    /// The last transaction was declined offline after static data authentication failed.
    public var lastStaticAuthenticationFailed = false
    /// The last transaction was declined offline after dynamic data authentication failed.
    public var lastDynamicAuthenticationFailed = false
    /// The issuer requested that this transaction go online.
    public var goesOnlineNextTime = false
    /// The offline limits that this transaction exceeds.
    public var exceededLimits: OfflineLimits.Exceeded = []
    /// Whether the terminal is in another country than the issuer; nil if the terminal did not send its country.
    public var isInternational: Bool?
    /// The card has an offline PIN that was not verified.
    public var expectedPINMissing = false
    /// The number of issuer script commands processed.
    public var scriptCommandCount: UInt8
    /// An issuer script command failed.
    public var scriptFailed: Bool

    /// Begins a report with the card's answers; everything else is unset until it happens.
    public init(first: Answer, second: Answer? = nil, pinTriesLeft: UInt8 = 3) {
        (self.first, self.second, self.pinTriesLeft) = (first, second, pinTriesLeft)
        (offlinePINPerformed, offlinePINFailed, offlinePINEnciphered) = (false, false, false)
        pinTryLimitExceeded = pinTriesLeft == 0
        (issuerAuthenticationPerformed, issuerAuthenticationFailed) = (false, false)
        (unableToGoOnline, lastOnlineNotCompleted, isNewCard) = (false, false, false)
        (dynamicDataAuthenticationPerformed, combinedDataAuthenticationPerformed) = (false, false)
        (scriptCommandCount, scriptFailed) = (0, false)
    }

    /// Returns the bytes for the issuer application data of `version`: 4 bytes (a length and three bytes) for Visa, 6
    /// bytes for M/Chip, 5 bytes for the common core definitions.
    public func encoded(_ version: CryptogramVersion) -> [UInt8] {
        switch version {
        case .cvn10, .cvn18: visa
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000: mChip
        case .aes: commonCore
        }
    }

    /// The responses, in the high nibble in all schemes: `10` means that a second one was not requested.
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
