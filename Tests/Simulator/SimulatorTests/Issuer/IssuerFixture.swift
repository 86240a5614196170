import CardSecrets
import Cryptography
import Determinism
import EMV
import Money
import Payments
import Simulator
import SmartCard

/// A card with its keys, as far as an issuer sees it, and messages about it.
struct IssuerFixture {
    static let pan = "4761739001010010"
    static let date = CivilDate(year: 2026, month: 11, day: 21)

    let keys: TestKeys

    init() throws { keys = try TestKeys.embedded() }

    func number(_ pan: String = Self.pan) throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(compressedNumeric: CryptogramFixture.hex(pan))
    }

    func dollars(_ text: String) throws -> Money { try Money(text, currency: Currency(code: "USD")) }

    func account(pin: [UInt8]? = nil, _ change: (inout IssuerAccount) throws -> Void = { _ in }) throws -> IssuerAccount
    {
        var account = try IssuerAccount(
            name: "visa-credit", pan: number(), onlinePIN: pin.map { SensitiveBytes($0) }, keys: keys)
        try change(&account)
        return account
    }

    func issuer(
        _ account: IssuerAccount? = nil, ledgerPath: String? = nil, faults: [IssuerFaultRule] = [],
        time: any TimeSource = VirtualTimeSource()
    ) throws -> SimulatedIssuer {
        try SimulatedIssuer(
            accounts: [account ?? self.account()], keys: keys, time: time, random: SeededRandomSource(seed: 1),
            ledgerPath: ledgerPath, faults: faults)
    }

    /// A request with the cryptogram that the card of `pan` makes.
    func request(
        _ key: String, _ amount: String = "12.50", version: CryptogramVersion = .cvn10, atc: UInt16 = 1,
        pan: String = Self.pan, expiry: [UInt8] = [0x30, 0x12], pinBlock: EncipheredPINBlock? = nil,
        verificationResults: String? = nil,
        spoil: (inout [BERTag: [UInt8]]) -> Void = { _ in }
    ) throws -> AuthorizationRequest {
        let money = try dollars(amount)
        let application = IssuerApplicationData(
            version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc))
        var objects = CryptogramFixture.dataObjects(application)
        objects[0x9F36] = [UInt8(atc >> 8), UInt8(atc & 0xFF)]
        if let verificationResults { objects[0x95] = CryptogramFixture.hex(verificationResults) }
        let master = try masterKey(version, pan: pan) { $0.applicationCryptogram.duplicate() }
        objects[0x9F26] = try ApplicationCryptogram.compute(
            ApplicationCryptogram.Input { objects[$0] }, masterKey: master)
        spoil(&objects)
        return AuthorizationRequest(
            key: IdempotencyKey(rawValue: key), stan: 1, amount: money, date: Self.date,
            card: .chip(
                OnlineAuthorizationRequest(
                    pan: try number(pan), trackTwo: nil, panSequenceNumber: 1, expiry: expiry,
                    iccData: objects.map { BERTLV($0.key, $0.value) }, pinBlock: pinBlock)))
    }

    func masterKey(
        _ version: CryptogramVersion, pan: String = Self.pan, of choose: (borrowing IssuerMasterKeys) -> SensitiveBytes
    ) throws -> SensitiveBytes {
        try version.masterKey(
            issuerMasterKey: keys.withMasterKeys(version.cipher, choose), pan: number(pan), panSequenceNumber: 1)
    }

    /// What a card checks the issuer's answer with.
    func context(_ request: borrowing AuthorizationRequest, _ version: CryptogramVersion)
        -> IssuerAuthenticationData.Context
    {
        IssuerAuthenticationData.Context(
            version: version, atc: 1, unpredictableNumber: request.card.chipData.first(0x9F37)?.value ?? [],
            arqc: request.card.chipData.first(0x9F26)?.value ?? [])
    }

    /// A PIN block under the PIN pad's first triple DES key.
    func tripleDESBlock(_ pin: [UInt8]) throws -> EncipheredPINBlock {
        let serial = try keys.tripleDESKeySerialNumber.next()
        let initial = try TripleDESDUKPT.initialKey(
            baseDerivationKey: keys.tripleDESBaseDerivationKey, keySerialNumber: serial)
        let transaction = try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
        let key = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        let block = try PINBlock.formatZero(pin: SensitiveBytes(pin), pan: number())
        return EncipheredPINBlock(
            block: CryptogramFixture.revealed(try TripleDES.encrypt(block, key: key)), keySerialNumber: serial.bytes)
    }

    /// A PIN block under the PIN pad's first AES key.
    func aesBlock(_ pin: [UInt8]) throws -> EncipheredPINBlock {
        let serial = try keys.aesKeySerialNumber.next()
        let initial = try AESDUKPT.initialKey(baseDerivationKey: keys.aesBaseDerivationKey, keySerialNumber: serial)
        let transaction = try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
        let key = try AESDUKPT.workingKey(
            transactionKey: transaction, keySerialNumber: serial, usage: .pinEncipherment)
        return EncipheredPINBlock(
            block: try EncipheredFormatFourPINBlock.encipher(
                pin: SensitiveBytes(pin), pan: number(), random: [UInt8](repeating: 7, count: 8), key: key),
            keySerialNumber: serial.bytes)
    }

    func reversal(_ key: String, _ amount: String = "12.50") throws -> ReversalRequest {
        ReversalRequest(key: IdempotencyKey(rawValue: key), stan: 2, amount: try dollars(amount), reason: .timeout)
    }

    func refund(_ key: String, of original: String, _ amount: String) throws -> HostRefundRequest {
        HostRefundRequest(
            key: IdempotencyKey(rawValue: key), original: IdempotencyKey(rawValue: original), stan: 3,
            amount: try dollars(amount))
    }

    func advice(_ key: String, _ amount: String = "12.50") throws -> AdviceRequest {
        AdviceRequest(
            key: IdempotencyKey(rawValue: key), stan: 4, amount: try dollars(amount), lastFour: "0010", iccData: [])
    }

    /// What the account has paid, in cents.
    func spent(_ issuer: SimulatedIssuer) async throws -> Int64 {
        try await issuer.ledger().spent(account: account().reference, currency: "USD")
    }
}

extension PresentedCard {
    /// The chip data for the issuer; nil for a stripe.
    var chipData: [BERTLV] {
        switch self {
        case .chip(let chip): chip.iccData
        case .stripe: []
        }
    }
}
