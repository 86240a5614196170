import CardSecrets
import Cryptography
import Determinism
import EMV
import Testing

struct ICCPublicKeyTests {
    typealias Fixture = CertificateFixture

    private func recover(
        _ certificate: PublicKeyCertificate, pan: [UInt8] = Fixture.pan, staticData: [UInt8] = Fixture.staticData,
        date: CivilDate = Fixture.date
    ) throws -> ICCPublicKey {
        try ICCPublicKey(
            recovering: certificate, issuer: Fixture.issuerKey(), pan: Fixture.primaryAccountNumber(pan),
            staticData: staticData, date: date)
    }

    private func recoverPINKey(_ certificate: PublicKeyCertificate) throws -> ICCPublicKey {
        try ICCPublicKey(
            recoveringPINKey: certificate, issuer: Fixture.issuerKey(), pan: Fixture.primaryAccountNumber(),
            date: Fixture.date)
    }

    // EMV Book 2 §6.4: the card's public key is recovered from its certificate, its remainder and its exponent
    // EMV Book 2 §7.1: the key for PINs is recovered from a certificate of its own, which covers no static data
    @Test func `the key is recovered completely, and so is the PIN encipherment key`() throws {
        #expect(try recover(Fixture.cardCertificate()).key == Fixture.card().publicKey)
        #expect(try recoverPINKey(Fixture.cardCertificate(staticData: [])).key == Fixture.card().publicKey)
    }

    // EMV Book 2 §6.4: the length in the certificate says how much of the card's key is in the remainder
    @Test func `a shorter key has a shorter remainder`() throws {
        let modulus = [0x80] + [UInt8](repeating: 0x33, count: 63)
        let key = try RSAPublicKey(modulus: modulus, exponent: [3])
        var fields = Fixture.Fields.icc
        fields.keyLength = 64
        let signed = try fields.sign(key, with: Fixture.issuer(), staticData: Fixture.staticData)
        #expect(signed.remainder.count == 18)
        #expect(try recover(signed).key == key)
    }

    // EMV Book 2 §6.4: the account number in the certificate must be the card's own
    @Test func `the PAN in the certificate must be the card's`() throws {
        let certificate = try Fixture.cardCertificate()
        for pan: [UInt8] in [
            [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x28], [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x1F],
            [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10, 0x0F],
        ] {
            #expect(throws: CertificateError.accountNumber(.icc)) { try recover(certificate, pan: pan) }
        }
        let filled = try Fixture.cardCertificate { $0.subject = Fixture.pan + [0x00, 0xFF] }
        #expect(throws: CertificateError.accountNumber(.icc)) { try recover(filled) }
    }

    // EMV Book 2 §6.4: the hash of the card's certificate covers the static data to be authenticated
    @Test func `static data are bound by the hash`() throws {
        let certificate = try Fixture.cardCertificate()
        var changed = Fixture.staticData
        changed[changed.count - 1] ^= 1
        #expect(throws: CertificateError.hash(.icc)) { try recover(certificate, staticData: changed) }
        #expect(throws: CertificateError.hash(.icc)) { try recover(certificate, staticData: []) }
        #expect(throws: CertificateError.hash(.iccPIN)) { try recoverPINKey(certificate) }
    }

    // EMV Book 2 §6.4: header, trailer, format, hash, expiry, algorithms and lengths of the card's certificate are
    // checked
    @Test func `every byte that is not as it must be has an error of its own`() throws {
        let cases: [(CertificateError, (inout Fixture.Fields) -> Void)] = [
            (.header(.icc), { $0.header = 0 }),
            (.trailer(.icc), { $0.trailer = 0 }),
            (.format(.icc, 2), { $0.format = 2 }),
            (.hash(.icc), { $0.hashDamage = 0x80 }),
            (.malformedExpiry(.icc), { $0.expiry = [0xFF, 0xFF] }),
            (.expired(.icc), { $0.expiry = [0x10, 0x26] }),
            (.hashAlgorithm(.icc, 0), { $0.hashAlgorithm = 0 }),
            (.publicKeyAlgorithm(.icc, 0), { $0.keyAlgorithm = 0 }),
            (.keyLength(.icc, 255), { $0.keyLength = 255 }),
            (.remainderLength(.icc, expected: 35, actual: 34), { $0.keyLength = 81 }),
            (.remainderLength(.icc, expected: 0, actual: 34), { $0.keyLength = 0 }),
            (.exponent(.icc), { $0.exponentLength = 0 }),
        ]
        for (error, bend) in cases {
            let certificate = try Fixture.cardCertificate(bend)
            #expect(throws: error) { try recover(certificate) }
        }
    }

    @Test func `no error contains a digit of the PAN`() throws {
        let errors: [CertificateError] = [
            .accountNumber(.icc), .issuerIdentifier, .hash(.icc), .length(.icc, expected: 88, actual: 3),
            .cryptography(.iccPIN, .inputNotBelowModulus),
        ]
        for error in errors {
            #expect(!"\(error)".contains("4761"))
            #expect(!String(reflecting: error).contains("4761"))
        }
    }
}

struct OfflinePINEnciphermentTests {
    typealias Fixture = CertificateFixture

    // EMV Book 2 §7.2: what is enciphered is header 7F, the PIN block, the card's challenge and random padding up to
    // the key's length
    @Test func `the card opens header, PIN block and challenge`() throws {
        let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let data = try OfflinePINEncipherment.encipher(
            pin: SensitiveBytes([1, 2, 3, 4]), challenge: challenge, key: Fixture.cardKey(),
            random: SeededRandomSource(seed: 5))
        let opened = try Fixture.card().apply(data)
        #expect(opened.count == 80)
        #expect(Array(opened.prefix(9)) == Fixture.hex("7F 241234FFFFFFFFFF"))
        #expect(Array(opened[9..<17]) == challenge)
        #expect(Array(opened[17...]) == SeededRandomSource(seed: 5).bytes(63))
    }

    // EMV Book 2 §7.2: the padding is random, so that one PIN never gives the same cryptogram twice
    @Test func `the same PIN never looks the same`() throws {
        let random = SeededRandomSource(seed: 5)
        let key = try Fixture.cardKey()
        let challenge = [UInt8](repeating: 0, count: 8)
        let first = try OfflinePINEncipherment.encipher(
            pin: SensitiveBytes([1, 2, 3, 4]), challenge: challenge, key: key, random: random)
        let second = try OfflinePINEncipherment.encipher(
            pin: SensitiveBytes([1, 2, 3, 4]), challenge: challenge, key: key, random: random)
        #expect(first != second)
    }

    // EMV Book 2 §7.2: the card's unpredictable number has eight bytes
    @Test func `a challenge or a PIN of another length is refused`() throws {
        let key = try Fixture.cardKey()
        let random = SeededRandomSource(seed: 5)
        #expect(throws: OfflinePINEncipherment.Failure.challengeLength(4)) {
            try OfflinePINEncipherment.encipher(
                pin: SensitiveBytes([1, 2, 3, 4]), challenge: [1, 2, 3, 4], key: key, random: random)
        }
        #expect(throws: OfflinePINEncipherment.Failure.pin(.pinLength(3))) {
            try OfflinePINEncipherment.encipher(
                pin: SensitiveBytes([1, 2, 3]), challenge: [UInt8](repeating: 0, count: 8), key: key, random: random)
        }
    }
}
