import CardSecrets
import Cryptography
import Simulator

/// The cryptography of one transaction alone: the computations of kernel, card, and issuer.
struct TransactionCryptography {
    private let authority: RSAPrivateKey
    private let issuer: RSAPrivateKey
    private let card: RSAPrivateKey
    private let work: WorkMeter.Work
    private let input: ApplicationCryptogram.Input
    // Any key takes the same time.
    private let key = SealedBytes((1...16).map { UInt8($0) &* 37 })
    private let pan: [UInt8] = [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]
    // The average length of hashed data.
    private let message = [UInt8](repeating: 0x5A, count: 200)

    /// - Parameters:
    ///   - lane: a lane that has taken one payment.
    ///   - work: the work of one payment.
    /// - Throws: `BenchmarkError` before the first payment, and errors of the test keys.
    init(_ lane: KernelLane, work: WorkMeter.Work) throws {
        guard let input = lane.issuer.lastInput else { throw BenchmarkError("no payment yet") }
        (self.input, self.work) = (input, work)
        let sizes = lane.profile.applications.first?.offlineAuthentication?.keySizes ?? .standard
        func key(_ holder: TestRSAKey.Holder, _ bits: Int) throws -> RSAPrivateKey {
            try lane.keys.rsa.key(TestRSAKey(holder, bits: bits, exponent: sizes.exponent))
        }
        authority = try key(.certificationAuthority, sizes.certificationAuthority)
        issuer = try key(.issuer, sizes.issuer)
        card = try key(.icc, sizes.icc)
    }

    /// The card signs and deciphers the PIN.
    func applyPrivateKeys() throws {
        let block = Self.block(card)
        for _ in 0..<work.cardKeyOperations { _ = try card.apply(block) }
    }

    /// The kernel recovers the certificates of issuer and card and each signature, and enciphers the PIN.
    func applyPublicKeys() throws {
        guard work.cardKeyOperations > 0 else { return }
        for key in [authority, issuer] { _ = try key.publicKey.apply(Self.block(key)) }
        let block = Self.block(card)
        for _ in 0..<work.cardKeyOperations { _ = try card.publicKey.apply(block) }
    }

    /// The card computes two cryptograms and checks an ARPC; the issuer derives the card's key, checks the first
    /// cryptogram, and computes the ARPC; certificates, signatures, and the CDA data are hashed.
    func applySymmetricKeysAndHashes() throws {
        let version = input.issuerApplicationData.version
        let masterKey = try version.masterKey(
            issuerMasterKey: key.bytes, pan: try PrimaryAccountNumber(compressedNumeric: pan), panSequenceNumber: 1)
        var cryptogram: [UInt8] = []
        for _ in 0..<3 { cryptogram = try ApplicationCryptogram.compute(input, masterKey: masterKey) }
        let context = IssuerAuthenticationData.Context(
            version: version, atc: input.atc, unpredictableNumber: input.unpredictableNumber, arqc: cryptogram)
        let proof = try IssuerAuthenticationData.make(
            context, responseCode: Array("00".utf8), cardStatusUpdate: CardStatusUpdate(approves: true),
            masterKey: masterKey)
        guard try IssuerAuthenticationData.verify(proof, context, masterKey: masterKey) != nil else {
            throw BenchmarkError("the card does not know its issuer")
        }
        for _ in 0..<hashCount { _ = try SHA1.hash(message) }
    }

    /// Two certificates; card and kernel hash what each signature covers; in CDA also the transaction data.
    private var hashCount: Int {
        guard work.cardKeyOperations > 0 else { return 0 }
        return 2 + 2 * work.dynamicSignatures + 4 * work.combinedSignatures
    }

    /// As long as the modulus and below it.
    private static func block(_ key: RSAPrivateKey) -> [UInt8] {
        [0x6A] + [UInt8](repeating: 0xBB, count: key.length - 2) + [0xBC]
    }
}
