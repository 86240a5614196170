internal import CardSecrets
internal import Cryptography
internal import Determinism
internal import EMV
internal import SmartCard

/// What the issuer finds out about card and cardholder before it looks at money.
struct CardCheck {
    enum Cryptogram: Hashable {
        /// The cryptogram is the card's own.
        case genuine(IssuerAuthenticationData.Context)
        /// The cryptogram is none that the issuer accepts.
        case refused(IssuerDeclineReason)
    }

    /// Names the issuer's master keys (within tag 9F10). It has one set of them.
    private static let derivationKeyIndex: UInt8 = 1

    let cryptogram: Cryptogram
    let pin: IssuerPINCheck.Result
    /// What the terminal found out (tag 95), which the cryptogram is made over.
    let verificationResults: TerminalVerificationResults
    /// The last month of the card is over.
    let isExpired: Bool
    /// What the card reports of earlier scripts; nil when there is nothing to report.
    let scriptReport: IssuerLedgerEntry.ScriptReport?

    /// Checks the request of a card whose account is known.
    init(
        _ card: borrowing OnlineAuthorizationRequest, account: IssuerAccount, date: CivilDate, keys: TestKeys
    ) {
        let cryptogram: Cryptogram
        do throws(CryptogramError) {
            cryptogram = try Self.checkCryptogram(card, keys: keys)
        } catch {
            cryptogram = .refused(
                error == .unknownIssuerApplicationData ? .unknownCryptogramVersion : .missingCryptogramData)
        }
        self.cryptogram = cryptogram
        let isGenuine = if case .genuine = cryptogram { true } else { false }
        scriptReport =
            isGenuine
            ? card.iccData.first(0x9F10).flatMap { try? IssuerApplicationData(decoding: $0.value) }?.scriptReport : nil
        verificationResults =
            card.iccData.first(0x95)
            .flatMap { TerminalVerificationResults(bytes: $0.value) } ?? TerminalVerificationResults(rawValue: 0)
        pin = IssuerPINCheck.result(
            card.pinBlock, pan: card.pan, wasEntered: verificationResults.contains(.onlinePINEntered), account: account,
            keys: keys)
        isExpired = Self.isOver(card.expiry, on: date)
    }

    private static func checkCryptogram(
        _ card: borrowing OnlineAuthorizationRequest, keys: TestKeys
    ) throws(CryptogramError) -> Cryptogram {
        let objects = card.iccData
        let input = try ApplicationCryptogram.Input { objects.first($0)?.value }
        guard let arqc = objects.first(0x9F26)?.value else { throw .missing(0x9F26) }
        guard input.issuerApplicationData.derivationKeyIndex == derivationKeyIndex else {
            return .refused(.unknownKeyIndex)
        }
        let version = input.issuerApplicationData.version
        let masterKey = try masterKey(card, version: version, keys: keys) { $0.applicationCryptogram.duplicate() }
        let expected = try ApplicationCryptogram.compute(input, masterKey: masterKey)
        guard SensitiveBytes(expected).isEqual(to: SensitiveBytes(arqc)) else { return .refused(.wrongCryptogram) }
        return .genuine(
            IssuerAuthenticationData.Context(
                version: version, atc: input.atc, unpredictableNumber: input.unpredictableNumber, arqc: arqc))
    }

    /// The card's own key, from one of the issuer's master keys.
    static func masterKey(
        _ card: borrowing OnlineAuthorizationRequest, version: CryptogramVersion, keys: TestKeys,
        of choose: (borrowing IssuerMasterKeys) -> SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        let issuerKey = keys.withMasterKeys(version.cipher, choose)
        return try version.masterKey(
            issuerMasterKey: issuerKey, pan: card.pan, panSequenceNumber: card.panSequenceNumber)
    }

    /// Whether the month YYMM, two bytes in BCD, is over. A date that is none counts as over.
    private static func isOver(_ expiry: [UInt8], on date: CivilDate) -> Bool {
        CertificateExpiry(Array(expiry.prefix(2).reversed()))?.isOver(on: date) ?? true
    }
}
