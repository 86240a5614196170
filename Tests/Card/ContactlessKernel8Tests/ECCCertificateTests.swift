import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import Testing

struct ECCCertificateTests {
    typealias Fixture = ECCCertificateFixture

    private func verify(
        _ issuer: [UInt8]? = nil, _ card: [UInt8]? = nil, authority: ECCAuthorityKey? = nil, keyIndex: UInt8 = 1,
        dfName: [UInt8] = GoldenRun.dfName, hash: [UInt8] = GoldenRun.staticDataHash,
        now: CivilDate = GoldenRun.date, revoked: Set<CertificateRevocation> = []
    ) throws -> EllipticCurvePoint {
        try ECCCertificateChain.cardKey(
            issuerCertificate: issuer ?? GoldenRun.issuerCertificate,
            cardCertificate: card ?? GoldenRun.cardCertificate, authority: authority ?? GoldenRun.authorityKey(),
            keyIndex: keyIndex, dfName: dfName, pan: GoldenRun.primaryAccountNumber(), staticDataHash: hash, now: now,
            revoked: revoked)
    }

    // Golden run: the certificates of records 2 and 3
    @Test func `the chain of the golden run leads to the card's key`() throws {
        let key = try verify()
        #expect(key.x == hex(GoldenRun.cardX))
        #expect(key.hasSmallerY)
        let isBlinded = try GoldenRun.channel().isBlindedKey(of: key)
        #expect(isBlinded)
    }

    // Golden run: the nonces are SHA-256 of "k1" and "k2"
    @Test func `the certificates of the golden run are signed again byte for byte`() throws {
        func sign(_ fields: [UInt8], _ secret: String, _ label: String) throws -> [UInt8] {
            let nonce = try EllipticCurveScalar(SensitiveBytes(SHA256.hash(Array(label.utf8))), on: .p256)
            return try fields + ECSDSA.sign(fields, key: GoldenRun.key(secret), nonce: nonce)
        }
        let issuer = try sign(Fixture.Issuer().fields, GoldenRun.authoritySecret, "k1")
        #expect(issuer == GoldenRun.issuerCertificate)
        let card = try sign(Fixture.Card().fields, GoldenRun.issuerSecret, "k2")
        #expect(card == GoldenRun.cardCertificate)
    }

    // EMV Book E §5: certificates are plain, so their fields are read without a key
    @Test func `the fields of both certificates are read`() throws {
        let issuer = try IssuerECCCertificate(GoldenRun.issuerCertificate, signedWith: .p256)
        #expect(GoldenRun.issuerCertificate.count == 117)
        #expect(issuer.issuerIdentifier == hex("541333FFFF"))
        #expect(issuer.expiry == CivilDate(year: 2049, month: 12, day: 31))
        #expect(issuer.serialNumber == [0, 0, 1])
        #expect(issuer.rid == GoldenRun.rid && issuer.authorityKeyIndex == 1)
        #expect(issuer.key == hex(GoldenRun.issuerX) && issuer.keySuite == .p256)
        let card = try CardECCCertificate(GoldenRun.cardCertificate, signedWith: .p256, for: .secureChannel)
        #expect(GoldenRun.cardCertificate.count == 145)
        #expect(card.expiry == CivilDate(year: 2049, month: 12, day: 31, hour: 23, minute: 59))
        #expect(card.serialNumber == hex("000000000001"))
        #expect(
            card.staticDataHash == GoldenRun.staticDataHash && card.keySuite == SecureChannelSuite.p256AES128.rawValue)
        #expect(card.key == hex(GoldenRun.cardX))
    }

    @Test func `every field of the issuer's certificate that is not as it must be has an error`() throws {
        let cases: [(ECCCertificateError, (inout Fixture.Issuer) -> Void)] = [
            (.field(.issuer, .format, offset: 0), { $0.format = 0x02 }),
            (.field(.issuer, .encoding, offset: 1), { $0.encoding = 0x01 }),
            (.field(.issuer, .issuerIdentifier, offset: 2), { $0.identifier = hex("54FFFFFFFF") }),
            (.field(.issuer, .issuerIdentifier, offset: 2), { $0.identifier = hex("541333FF3F") }),
            (.field(.issuer, .issuerIdentifier, offset: 2), { $0.identifier = hex("5413A3FFFF") }),
            (.field(.issuer, .keySuite, offset: 7), { $0.suite = 0x12 }),
            (.field(.issuer, .keySuite, offset: 7), { $0.suite = 0x00 }),
            (.length(.issuer, expected: 151, actual: 117), { $0.suite = 0x11 }),
            (.field(.issuer, .expiry, offset: 8), { $0.expiry = hex("20491331") }),
            (.field(.issuer, .expiry, offset: 8), { $0.expiry = hex("20490230") }),
            (.field(.issuer, .expiry, offset: 8), { $0.expiry = hex("20491A31") }),
            (.field(.issuer, .expiry, offset: 8), { $0.expiry = hex("00000000") }),
            (.issuerIdentifier, { $0.identifier = hex("541334FFFF") }),
            (.issuerIdentifier, { $0.identifier = hex("5413330090") }),
            (.expired(.issuer), { $0.expiry = hex("20261122") }),
            (.applicationProvider, { $0.rid = hex("A000000003") }),
            (.authorityKeyIndex(expected: 1, actual: 2), { $0.index = 2 }),
            (.publicKey(.issuer), { $0.key = [UInt8](repeating: 0, count: 31) + [1] }),
            (.publicKey(.issuer), { $0.key = [UInt8](repeating: 0xFF, count: 32) }),
        ]
        for (error, bend) in cases {
            let certificate = try Fixture.issuer(bend)
            #expect(throws: error) { try verify(certificate) }
        }
    }

    @Test func `every field of the card's certificate that is not as it must be has an error`() throws {
        let cases: [(ECCCertificateError, (inout Fixture.Card) -> Void)] = [
            (.field(.card, .format, offset: 0), { $0.format = 0x12 }),
            (.field(.card, .encoding, offset: 1), { $0.encoding = 0x01 }),
            (.field(.card, .keySuite, offset: 2), { $0.suite = 0x10 }),
            (.field(.card, .keySuite, offset: 2), { $0.suite = 0x01 }),
            (.field(.card, .expiry, offset: 3), { $0.expiry = hex("204912312460") }),
            (.field(.card, .expiry, offset: 3), { $0.expiry = hex("204912312360") }),
            (.field(.card, .hashEncoding, offset: 15), { $0.hashEncoding = 0x00 }),
            (.field(.card, .hashAlgorithm, offset: 16), { $0.hashAlgorithm = 0x03 }),
            (.field(.card, .hashAlgorithm, offset: 16), { $0.hashAlgorithm = 0x01 }),
            (.expired(.card), { $0.expiry = hex("202611231159") }),
            (.staticDataHash, { $0.hash[31] ^= 0x01 }),
            (.publicKey(.card), { $0.key = [UInt8](repeating: 0, count: 31) + [1] }),
        ]
        for (error, bend) in cases {
            let certificate = try Fixture.card(bend)
            #expect(throws: error) { try verify(nil, certificate) }
        }
    }

    @Test func `a certificate is cut, doubled, or longer than it says`() throws {
        let (issuer, card) = (GoldenRun.issuerCertificate, GoldenRun.cardCertificate)
        for count in 0..<117 {
            #expect(throws: ECCCertificateError.length(.issuer, expected: 117, actual: count)) {
                try verify(Array(issuer.prefix(count)))
            }
        }
        for count in 0..<145 {
            #expect(throws: ECCCertificateError.length(.card, expected: 145, actual: count)) {
                try verify(nil, Array(card.prefix(count)))
            }
        }
        #expect(throws: ECCCertificateError.length(.issuer, expected: 117, actual: 234)) { try verify(issuer + issuer) }
        #expect(throws: ECCCertificateError.length(.card, expected: 145, actual: 290)) { try verify(nil, card + card) }
        #expect(throws: ECCCertificateError.length(.issuer, expected: 117, actual: 118)) { try verify(issuer + [0]) }
        #expect(throws: ECCCertificateError.field(.card, .format, offset: 0)) { try verify(nil, issuer + issuer) }
    }

    @Test func `no bit of a certificate can be changed`() throws {
        for index in GoldenRun.issuerCertificate.indices {
            var bent = GoldenRun.issuerCertificate
            bent[index] ^= 0x01
            #expect(throws: ECCCertificateError.self) { try verify(bent) }
        }
        for index in GoldenRun.cardCertificate.indices {
            var bent = GoldenRun.cardCertificate
            bent[index] ^= 0x01
            #expect(throws: ECCCertificateError.self) { try verify(nil, bent) }
        }
    }

    @Test func `a certificate that another key has signed is refused`() throws {
        let stranger = try GoldenRun.key(GoldenRun.cardSecret)
        let (issuer, card) = (try Fixture.issuer(signer: stranger), try Fixture.card(signer: stranger))
        #expect(throws: ECCCertificateError.signature(.issuer)) { try verify(issuer) }
        #expect(throws: ECCCertificateError.signature(.card)) { try verify(nil, card) }
    }

    // EMV Book E §5: certificates are good through their last day, or minute, in UTC
    @Test func `certificates are good through their last day and minute`() throws {
        let issuer = try Fixture.issuer { $0.expiry = hex("20261123") }
        let card = try Fixture.card { $0.expiry = hex("202611231200") }
        func at(_ hour: Int, _ minute: Int, day: Int = 23) -> CivilDate {
            CivilDate(year: 2026, month: 11, day: day, hour: hour, minute: minute, second: 59)
        }
        #expect(throws: Never.self) { try verify(issuer, now: at(23, 59)) }
        #expect(throws: ECCCertificateError.expired(.issuer)) { try verify(issuer, now: at(0, 0, day: 24)) }
        #expect(throws: Never.self) { try verify(nil, card, now: at(12, 0)) }
        #expect(throws: ECCCertificateError.expired(.card)) { try verify(nil, card, now: at(12, 1)) }
    }

    @Test func `the authority's key is good through its last day`() throws {
        let last = CivilDate(year: 2026, month: 11, day: 23)
        #expect(throws: Never.self) { try verify(authority: GoldenRun.authorityKey(expiry: last)) }
        #expect(throws: ECCCertificateError.authorityKeyExpired(index: 1)) {
            try verify(authority: GoldenRun.authorityKey(expiry: CivilDate(year: 2026, month: 11, day: 22)))
        }
    }

    @Test(arguments: [
        ("541FFFFFFF", true), ("541333FFFF", true), ("54133300FF", true), ("5413330089", true), ("5413330088", false),
        ("542FFFFFFF", false),
    ])
    func `the issuer identifier is three to ten first digits of the PAN`(identifier: String, fits: Bool) throws {
        let certificate = try Fixture.issuer { $0.identifier = hex(identifier) }
        if fits {
            #expect(throws: Never.self) { try verify(certificate) }
        } else {
            #expect(throws: ECCCertificateError.issuerIdentifier) { try verify(certificate) }
        }
    }

    @Test func `application, authority, and index belong together`() throws {
        #expect(throws: ECCCertificateError.applicationProvider) { try verify(dfName: hex("A0000000031010")) }
        #expect(throws: ECCCertificateError.applicationProvider) { try verify(dfName: []) }
        #expect(throws: ECCCertificateError.authorityKeyIndex(expected: 2, actual: 1)) { try verify(keyIndex: 2) }
        let other = try ECCAuthorityKey(
            rid: hex("A000000003"), index: 1, suite: .p256, key: hex(GoldenRun.authorityX))
        #expect(throws: ECCCertificateError.applicationProvider) { try verify(authority: other) }
    }

    @Test func `a revoked certificate is refused`() throws {
        let revoked = CertificateRevocation(rid: GoldenRun.rid, index: 1, serialNumber: [0, 0, 1])
        #expect(throws: ECCCertificateError.revoked) { try verify(revoked: [revoked]) }
        let another = CertificateRevocation(rid: GoldenRun.rid, index: 1, serialNumber: [0, 0, 2])
        #expect(throws: Never.self) { try verify(revoked: [another]) }
    }

    // EMV Book E §5: the length of a signature follows from the key that signed, not from the certified key
    @Test func `keys of both curves may sign each other`() throws {
        let (authority, issuer) = (try Fixture.largeKey(), try Fixture.largeKey(seed: 2))
        let authorityKey = try ECCAuthorityKey(
            rid: GoldenRun.rid, index: 1, suite: .p521, key: authority.publicKey.x)
        let large = try Fixture.issuer(signer: authority) { ($0.suite, $0.key) = (0x11, issuer.publicKey.x) }
        #expect(large.count == 21 + 66 + 130)
        let card = try Fixture.card(signer: issuer)
        #expect(card.count == 81 + 130)
        #expect(try verify(large, card, authority: authorityKey).x == hex(GoldenRun.cardX))
        let small = try Fixture.issuer(signer: authority)
        #expect(try verify(small, authority: authorityKey).x == hex(GoldenRun.cardX))
        let mixed = try Fixture.issuer { ($0.suite, $0.key) = (0x11, issuer.publicKey.x) }
        #expect(try verify(mixed, card).x == hex(GoldenRun.cardX))
        #expect(throws: ECCCertificateError.length(.card, expected: 211, actual: 145)) { try verify(mixed) }
    }

    @Test func `an authority's key is x, or x and the smaller y`() throws {
        let whole = try ECCAuthorityKey(
            rid: GoldenRun.rid, index: 1, suite: .p256, key: hex(GoldenRun.authorityX + GoldenRun.authorityY))
        #expect(try whole == GoldenRun.authorityKey())
        let x = hex(GoldenRun.authorityX)
        func make(_ key: [UInt8], rid: [UInt8] = GoldenRun.rid) throws -> ECCAuthorityKey {
            try ECCAuthorityKey(rid: rid, index: 1, suite: .p256, key: key)
        }
        let point = try GoldenRun.key(GoldenRun.authoritySecret).publicKey
        let negated = try EllipticCurveScalar(SensitiveBytes(hex(GoldenRun.authoritySecret)), on: .p256).negated()
        let larger = try EllipticCurvePrivateKey(negated).publicKey
        #expect(point.hasSmallerY && !larger.hasSmallerY)
        #expect(throws: ECCAuthorityKeyError.largerRoot(rid: GoldenRun.rid, index: 1)) { try make(larger.coordinates) }
        #expect(throws: ECCAuthorityKeyError.ridLength(4)) { try make(x, rid: Array(GoldenRun.rid.dropLast())) }
        #expect(throws: ECCAuthorityKeyError.keyLength(33, expected: 32)) { try make([0x02] + x) }
        #expect(
            throws: ECCAuthorityKeyError.cryptography(rid: GoldenRun.rid, index: 1, .pointNotOnCurve("P-256"))
        ) { try make(x + x) }
    }
}
