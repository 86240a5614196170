import CardSecrets
import Cryptography
import Determinism
import EMV
import MagneticStripe
import Payments
import SmartCard

/// A card's master key for application cryptograms. The issuer keeps those of genuine cards, because each message would
/// derive the same one.
final class CardMasterKey: Sendable {
    /// All that the key follows from, besides the issuer's keys.
    struct Name: Hashable, Sendable {
        /// ``IssuerAccount/reference``, which stands for the PAN.
        let account: String
        let version: CryptogramVersion
        let panSequenceNumber: UInt8?
    }

    let name: Name
    let bytes: SensitiveBytes

    init(_ name: Name, _ bytes: consuming SensitiveBytes) {
        self.name = name
        self.bytes = bytes
    }
}

/// The issuer's checks of chip card and cardholder before it looks at the amount.
struct CardCheck {
    enum Cryptogram: Hashable {
        /// The cryptogram is genuine.
        case genuine(IssuerAuthenticationData.Context)
        /// The issuer rejects the cryptogram.
        case refused(IssuerDeclineReason)
    }

    /// The index of the issuer's only set of master keys (in tag 9F10).
    private static let derivationKeyIndex: UInt8 = 1

    let cryptogram: Cryptogram
    /// The key of a genuine cryptogram; nil for any other one.
    let masterKey: CardMasterKey?
    let pin: IssuerPINCheck.Result
    /// The TVR (tag 95), which the cryptogram covers.
    let verificationResults: TerminalVerificationResults
    /// Whether the card is expired.
    let isExpired: Bool
    /// The card's report on earlier scripts; nil if there is none.
    let scriptReport: IssuerLedgerEntry.ScriptReport?

    /// Checks the request of a card with a known account. `known` returns a key that was derived before.
    init(
        _ card: borrowing OnlineAuthorizationRequest, account: IssuerAccount, date: CivilDate, keys: TestKeys,
        known: (CardMasterKey.Name) -> CardMasterKey?
    ) {
        let cryptogram: Cryptogram
        var masterKey: CardMasterKey?
        do throws(CryptogramError) {
            cryptogram = try Self.checkCryptogram(card, account: account, keys: keys, known: known, &masterKey)
        } catch {
            cryptogram = .refused(
                error == .unknownIssuerApplicationData ? .unknownCryptogramVersion : .missingCryptogramData)
        }
        let isGenuine = if case .genuine = cryptogram { true } else { false }
        (self.cryptogram, self.masterKey) = (cryptogram, isGenuine ? masterKey : nil)
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

    /// Returns the TVR (tag 95) that the cryptogram covers. With XDA, a terminal sets two bits after the card made the
    /// cryptogram, and an issuer clears them again (EMV Book 4 §6.3.2.2.2, §6.3.2.2.4).
    private static func coveredResults(_ objects: [BERTLV]) -> [UInt8]? {
        guard let value = objects.first(0x95)?.value else { return nil }
        guard let results = TerminalVerificationResults(bytes: value), results.contains(.xdaSelected),
            let profile = objects.first(0x82)?.value.first, profile & 0x80 != 0
        else { return value }
        return results.subtracting([.eccKeyRecoveryFailed, .xdaFailed]).bytes
    }

    /// Puts the key into `masterKey`.
    private static func checkCryptogram(
        _ card: borrowing OnlineAuthorizationRequest, account: IssuerAccount, keys: TestKeys,
        known: (CardMasterKey.Name) -> CardMasterKey?, _ masterKey: inout CardMasterKey?
    ) throws(CryptogramError) -> Cryptogram {
        let objects = card.iccData
        let input = try ApplicationCryptogram.Input { $0 == 0x95 ? coveredResults(objects) : objects.first($0)?.value }
        guard let arqc = objects.first(0x9F26)?.value else { throw .missing(0x9F26) }
        guard input.issuerApplicationData.derivationKeyIndex == derivationKeyIndex else {
            return .refused(.unknownKeyIndex)
        }
        let version = input.issuerApplicationData.version
        let name = CardMasterKey.Name(
            account: account.reference, version: version, panSequenceNumber: card.panSequenceNumber)
        let key: CardMasterKey
        if let former = known(name) {
            key = former
        } else {
            key = CardMasterKey(
                name,
                try Self.masterKey(card, version: version, keys: keys) { $0.applicationCryptogram.duplicate() })
        }
        masterKey = key
        let expected = try ApplicationCryptogram.compute(input, masterKey: key.bytes)
        guard SensitiveBytes(expected).isEqual(to: SensitiveBytes(arqc)) else { return .refused(.wrongCryptogram) }
        return .genuine(
            IssuerAuthenticationData.Context(
                version: version, atc: input.atc, unpredictableNumber: input.unpredictableNumber, arqc: arqc))
    }

    /// Derives the card's key from one of the issuer's master keys.
    static func masterKey(
        _ card: borrowing OnlineAuthorizationRequest, version: CryptogramVersion, keys: TestKeys,
        of choose: (borrowing IssuerMasterKeys) -> SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        let issuerKey = keys.withMasterKeys(version.cipher, choose)
        return try version.masterKey(
            issuerMasterKey: issuerKey, pan: card.pan, panSequenceNumber: card.panSequenceNumber)
    }

    /// Whether the month YYMM, two bytes in BCD, is over. An invalid date counts as over.
    private static func isOver(_ expiry: [UInt8], on date: CivilDate) -> Bool {
        CertificateExpiry(Array(expiry.prefix(2).reversed()))?.isOver(on: date) ?? true
    }
}

/// The issuer's checks of a swiped card and its cardholder before it looks at the amount.
struct MagneticStripeCheck {
    /// Why the issuer rejects the stripe; nil if it accepts it.
    let refusal: IssuerDecision?
    let pin: IssuerPINCheck.Result
    /// Whether the card requires a PIN and none was sent.
    let isPINMissing: Bool
    /// Whether the card is expired.
    let isExpired: Bool

    /// Checks the request of a card with a known account.
    init(
        _ request: borrowing MagneticStripeAuthorizationRequest, account: IssuerAccount, date: CivilDate, keys: TestKeys
    ) {
        isExpired = request.card.expiry.isOver(on: date)
        pin = IssuerPINCheck.result(
            request.pinBlock, pan: request.card.pan, wasEntered: request.verification == .onlinePIN, account: account,
            keys: keys)
        isPINMissing = request.card.serviceCode.pin == .required && request.pinBlock == nil
        let isNational = request.card.serviceCode.interchange == .national
        refusal =
            if !Self.isGenuine(request.card, keys: keys) {
                IssuerDecision(.wrongVerificationValue, .wrongVerificationValue)
            } else if request.card.serviceCode.hasChip && !request.isFallback {
                IssuerDecision(.doNotHonor, .chipNotUsed)
            } else if isNational, let country = account.country, country != request.terminalCountry {
                IssuerDecision(.restrictedCard, .abroad)
            } else {
                nil
            }
    }

    /// Whether the stripe has the issuer's card verification value.
    private static func isGenuine(_ card: borrowing SwipedCard, keys: TestKeys) -> Bool {
        guard var found = verificationValue(of: card) else { return false }
        var digits = card.pan.withDigits { [UInt8]($0) }
        let expected = try? CardVerificationValue.compute(
            digits, expiry: card.expiry.encoded, serviceCode: UInt16(card.serviceCode.number),
            key: keys.cardVerificationKey)
        defer {
            digits.wipe()
            found.wipe()
        }
        return expected == found
    }

    /// Returns the card verification value, three digits after a field of five; nil if there is none.
    private static func verificationValue(of card: borrowing SwipedCard) -> [UInt8]? {
        switch card.trackTwo {
        case .some(let track):
            track.withUnsafeBytes { bytes in
                value(in: bytes.flatMap { [$0 >> 4, $0 & 0x0F] }, behind: 0x0D, separators: 1)
            }
        case .none:
            switch card.trackOne {
            case .some(let track):
                track.withUnsafeBytes { bytes in
                    value(in: bytes.map { $0 &- 0x30 }, behind: UInt8(ascii: "^") - 0x30, separators: 2)
                }
            case .none: nil
            }
        }
    }

    private static func value(in digits: [UInt8], behind separator: UInt8, separators: Int) -> [UInt8]? {
        var digits = digits
        defer { digits.wipe() }
        let places = digits.indices.filter { digits[$0] == separator }
        guard places.count >= separators else { return nil }
        // Skip expiry, service code, and the field of five.
        let value = digits.dropFirst(places[separators - 1] + 1 + 4 + 3 + 5).prefix(3)
        return value.count == 3 && value.allSatisfy { $0 <= 9 } ? Array(value) : nil
    }
}

/// The check of the PIN in a request.
enum IssuerPINCheck {
    enum Result: String, Hashable, Sendable, CaseIterable {
        case notGiven
        case right
        case wrong
    }

    /// Compares the PIN in an enciphered block with the account's. `wasEntered` says whether the terminal reports a
    /// PIN entry.
    static func result(
        _ block: EncipheredPINBlock?, pan: borrowing PrimaryAccountNumber, wasEntered: Bool, account: IssuerAccount,
        keys: TestKeys
    ) -> Result {
        guard let expected = account.onlinePIN else { return .notGiven }
        // The terminal reports a PIN entry but sent no PIN block.
        guard let block else { return wasEntered ? .wrong : .notGiven }
        guard let pin = try? openPIN(block, pan: pan, keys: keys) else { return .wrong }
        return pin.isEqual(to: expected.digits) ? .right : .wrong
    }

    /// Deciphers a format 0 block under a triple DES key, or a format 4 block under an AES key.
    private static func openPIN(
        _ block: EncipheredPINBlock, pan: borrowing PrimaryAccountNumber, keys: TestKeys
    ) throws -> SensitiveBytes {
        let serial = try DUKPTKeySerialNumber(block.keySerialNumber)
        switch serial.scheme {
        case .tripleDES:
            let initial = try TripleDESDUKPT.initialKey(
                baseDerivationKey: keys.tripleDESBaseDerivationKey, keySerialNumber: serial)
            let transaction = try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
            let key = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
            return try PINBlock.pin(formatZero: try TripleDES.decrypt(SensitiveBytes(block.block), key: key), pan: pan)
        case .aes:
            let initial = try AESDUKPT.initialKey(
                baseDerivationKey: keys.aesBaseDerivationKey, keySerialNumber: serial)
            let transaction = try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
            let key = try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: serial, usage: .pinEncipherment)
            return try EncipheredFormatFourPINBlock.pin(block.block, pan: pan, key: key)
        }
    }
}
