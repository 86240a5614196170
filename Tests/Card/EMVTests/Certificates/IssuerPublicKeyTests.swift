import CardSecrets
import Cryptography
import Determinism
import EMV
import Testing

struct IssuerPublicKeyTests {
    typealias Fixture = CertificateFixture

    private func recover(
        _ certificate: PublicKeyCertificate, authority: CAPublicKey? = nil, date: CivilDate = Fixture.date,
        revoked: Set<CertificateRevocation> = []
    ) throws -> IssuerPublicKey {
        try IssuerPublicKey(
            recovering: certificate, authority: authority ?? Fixture.authorityKey(),
            pan: Fixture.primaryAccountNumber(), date: date, revoked: revoked)
    }

    // EMV Book 2 §6.3: the issuer's key is recovered from its certificate and its remainder
    // EMV Book 2 annex A2.1: a signature with message recovery gives back the data that it covers
    @Test func `the key is recovered completely, with its remainder`() throws {
        let recovered = try recover(Fixture.issuerCertificate())
        #expect(try recovered.key == Fixture.issuer().publicKey)
        #expect(recovered.serialNumber == [1, 2, 3])
        #expect((recovered.expiry.year, recovered.expiry.month) == (2026, 11))
    }

    // EMV Book 2 §6.3: a certificate is good through the last day of the month of its expiry
    @Test func `the certificate is good through the last day of its month`() throws {
        let certificate = try Fixture.issuerCertificate()
        #expect(throws: Never.self) { try recover(certificate, date: CivilDate(year: 2026, month: 11, day: 30)) }
        #expect(throws: CertificateError.expired(.issuer)) {
            try recover(certificate, date: CivilDate(year: 2026, month: 12, day: 1))
        }
        let old = try Fixture.issuerCertificate { $0.expiry = [0x12, 0x50] }
        #expect(throws: CertificateError.expired(.issuer)) { try recover(old) }
        let late = try Fixture.issuerCertificate { $0.expiry = [0x01, 0x49] }
        #expect(throws: Never.self) { try recover(late) }
    }

    // EMV Book 2 §11.2: a certification authority's key is used through its expiry date and not after it
    @Test func `the authority's key is good through its last day`() throws {
        let certificate = try Fixture.issuerCertificate()
        let today = try Fixture.authorityKey(expiry: Fixture.date)
        #expect(throws: Never.self) { try recover(certificate, authority: today) }
        let yesterday = try Fixture.authorityKey(expiry: CivilDate(year: 2026, month: 11, day: 29))
        #expect(throws: CertificateError.authorityKeyExpired(index: 7)) {
            try recover(certificate, authority: yesterday)
        }
    }

    // EMV Book 2 §6.3: the issuer identifier in the certificate is the first three to eight digits of the account
    // number, filled with F
    @Test(
        arguments: [
            ([0x47, 0x6F, 0xFF, 0xFF], true), ([0x47, 0x61, 0x73, 0xFF], true), ([0x47, 0x61, 0x73, 0x90], true),
            ([0x47, 0x61, 0x73, 0x91], false), ([0x47, 0xFF, 0xFF, 0xFF], false), ([0x54, 0x13, 0x33, 0xFF], false),
            ([0x47, 0x6F, 0x73, 0xFF], false), ([0x47, 0x61, 0x7A, 0xFF], false),
        ] as [([UInt8], Bool)])
    func `the issuer identifier is three to eight first digits of the PAN`(identifier: [UInt8], fits: Bool) throws {
        let certificate = try Fixture.issuerCertificate { $0.subject = identifier }
        if fits {
            #expect(throws: Never.self) { try recover(certificate) }
        } else {
            #expect(throws: CertificateError.issuerIdentifier) { try recover(certificate) }
        }
    }

    // EMV Book 2 §6.3: header, trailer, format, hash, expiry, algorithms and lengths of the issuer's certificate are
    // checked
    @Test func `every byte that is not as it must be has an error of its own`() throws {
        let cases: [(CertificateError, (inout Fixture.Fields) -> Void)] = [
            (.header(.issuer), { $0.header = 0x6B }),
            (.trailer(.issuer), { $0.trailer = 0xBD }),
            (.format(.issuer, 4), { $0.format = 4 }),
            (.hash(.issuer), { $0.hashDamage = 1 }),
            (.malformedExpiry(.issuer), { $0.expiry = [0x13, 0x26] }),
            (.malformedExpiry(.issuer), { $0.expiry = [0x00, 0x26] }),
            (.malformedExpiry(.issuer), { $0.expiry = [0x1A, 0x26] }),
            (.hashAlgorithm(.issuer, 2), { $0.hashAlgorithm = 2 }),
            (.publicKeyAlgorithm(.issuer, 9), { $0.keyAlgorithm = 9 }),
            (.keyLength(.issuer, 97), { $0.keyLength = 97 }),
            (.remainderLength(.issuer, expected: 29, actual: 28), { $0.keyLength = 89 }),
            (.remainderLength(.issuer, expected: 0, actual: 28), { $0.keyLength = 60 }),
            (.exponent(.issuer), { $0.exponentLength = 3 }),
        ]
        for (error, bend) in cases {
            let certificate = try Fixture.issuerCertificate(bend)
            #expect(throws: error) { try recover(certificate) }
        }
    }

    // EMV Book 2 §6.3: the hash of the issuer's certificate covers the remainder and the exponent
    @Test func `remainder and exponent are bound by the hash`() throws {
        var certificate = try Fixture.issuerCertificate()
        certificate.remainder[0] ^= 1
        #expect(throws: CertificateError.hash(.issuer)) { try recover(certificate) }
        certificate.remainder = []
        #expect(throws: CertificateError.remainderLength(.issuer, expected: 28, actual: 0)) { try recover(certificate) }
        var other = try Fixture.issuerCertificate()
        other.exponent = [1, 0, 1]
        #expect(throws: CertificateError.hash(.issuer)) { try recover(other) }
    }

    // EMV Book 2 §5.1.2: a certificate that the payment system has revoked, by RID, index and serial number, is not
    // accepted
    @Test func `a revoked certificate is refused`() throws {
        let certificate = try Fixture.issuerCertificate()
        let other = CertificateRevocation(rid: Fixture.rid, index: 8, serialNumber: [1, 2, 3])
        #expect(throws: Never.self) { try recover(certificate, revoked: [other]) }
        let this = CertificateRevocation(rid: Fixture.rid, index: 7, serialNumber: [1, 2, 3])
        #expect(throws: CertificateError.revoked(.issuer)) { try recover(certificate, revoked: [other, this]) }
    }

    // EMV Book 2 annex A2.1: a signature opened with another key shows no valid trailer
    @Test func `another authority's key opens nothing`() throws {
        let wrong = try CAPublicKey(
            rid: Fixture.rid, index: 7, modulus: [0xFF] + Fixture.authority().publicKey.modulus.dropFirst(),
            exponent: [3], checksum: nil)
        #expect(throws: CertificateError.trailer(.issuer)) {
            try recover(Fixture.issuerCertificate(), authority: wrong)
        }
    }

    // EMV Book 2 §6.3: the issuer's certificate is as long as the modulus of the key that signed it
    @Test func `damaged certificates of every length are refused and never trap`() throws {
        let good = try Fixture.issuerCertificate()
        for count in 0..<good.certificate.count {
            var cut = good
            cut.certificate.removeLast(good.certificate.count - count)
            #expect(throws: CertificateError.length(.issuer, expected: 96, actual: count)) { try recover(cut) }
        }
        let random = SeededRandomSource(seed: 90)
        for _ in 0..<200 {
            var damaged = good
            let place = Int(random.number(in: 0...95))
            damaged.certificate[place] ^= UInt8(random.number(in: 1...255))
            #expect(throws: CertificateError.self) { try recover(damaged) }
            damaged.certificate = random.bytes(96)
            damaged.remainder = random.bytes(Int(random.number(in: 0...40)))
            damaged.exponent = random.bytes(Int(random.number(in: 0...4)))
            #expect(throws: CertificateError.self) { try recover(damaged) }
        }
    }
}
