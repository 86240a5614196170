import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard
import Testing

/// The certificates on elliptic curves of a chip (EMV Book 2 §12.3 and §12.4).
struct ExtendedCertificateTests {
    typealias Fixture = ExtendedFixture

    private static let now = CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56)

    private func key(
        _ fixture: Fixture, issuer: [UInt8]? = nil, card: [UInt8]? = nil, authority: ECCAuthorityKey? = nil,
        now: CivilDate = now, revoked: Set<CertificateRevocation> = []
    ) throws -> EllipticCurvePoint {
        try ECCCertificateChain.signatureKey(
            issuerCertificate: issuer ?? fixture.issuerCertificate(),
            cardCertificate: card ?? fixture.cardCertificate(),
            authority: authority ?? fixture.authorityKey(), dfName: TestCard.Profile.visa,
            pan: PrimaryAccountNumber(compressedNumeric: bytes(TestCard.Profile.pan)),
            staticData: SensitiveBytes(fixture.staticData), now: now, revoked: revoked)
    }

    // EMV Book 2 §12.3: both curves, and a key of one certified by the other; the hash may be SHA-512
    @Test func `a chain leads to the card's key on either curve`() throws {
        for (issuer, card) in [
            (CertificateSuite.p256, CertificateSuite.p256), (.p521, .p521), (.p521, .p256), (.p256, .p521),
        ] {
            var fixture = try Fixture(issuer, card: card)
            #expect(try key(fixture) == fixture.cardKey.publicKey)
            if (issuer, card) == (.p521, .p521) { continue }
            fixture.card.hashAlgorithm = 3
            #expect(try key(fixture) == fixture.cardKey.publicKey)
        }
    }

    // EMV Book 2 §12.3: each check of a field
    @Test func `each field of both certificates is checked`() throws {
        let cases: [(ECCCertificateError, (inout Fixture) -> Void)] = [
            (.field(.issuer, .format, offset: 0), { $0.issuer.format = [0x02, 0x00] }),
            (.field(.issuer, .encoding, offset: 1), { $0.issuer.format = [0x12, 0x01] }),
            (.issuerIdentifier, { $0.issuer.identifier = bytes("476174FFFF") }),
            (.field(.issuer, .issuerIdentifier, offset: 2), { $0.issuer.identifier = bytes("47FFFFFFFF") }),
            (.field(.issuer, .keySuite, offset: 7), { $0.issuer.suite = 0x12 }),
            (.expired(.issuer), { $0.issuer.expiry = bytes("20260101") }),
            (.field(.issuer, .expiry, offset: 8), { $0.issuer.expiry = bytes("20261301") }),
            (.applicationProvider, { $0.issuer.rid = bytes("A000000004") }),
            (.authorityKeyIndex(expected: 7, actual: 8), { $0.issuer.index = 8 }),
            (.field(.card, .format, offset: 0), { $0.card.format = [0x04, 0x00] }),
            (.field(.card, .encoding, offset: 1), { $0.card.format = [0x14, 0x01] }),
            // A key for the secure channel of kernel 8, and one for PINs.
            (.field(.card, .keySuite, offset: 2), { $0.card.suite = 0x00 }),
            (.field(.card, .keySuite, offset: 2), { $0.card.suite = 0x80 }),
            (.field(.card, .hashEncoding, offset: 15), { $0.card.hashEncoding = 0x01 }),
            (.field(.card, .hashAlgorithm, offset: 16), { $0.card.hashAlgorithm = 0x01 }),
            (.field(.card, .hashAlgorithm, offset: 16), { $0.card.hashAlgorithm = 0x04 }),
            (.field(.card, .expiry, offset: 3), { $0.card.expiry = bytes("204902302359") }),
            (.staticDataHash, { $0.card.hash = [UInt8](repeating: 7, count: 32) }),
            (
                .length(.card, expected: 177, actual: 145),
                { ($0.card.hashAlgorithm, $0.card.hash) = (3, [UInt8](repeating: 7, count: 32)) }
            ),
        ]
        for (error, bend) in cases {
            var fixture = try Fixture()
            bend(&fixture)
            #expect(throws: error) { try key(fixture) }
        }
    }

    // EMV Book 2 §12.4: the certificate must expire later than now, which is in UTC
    @Test func `the card's certificate expires with its minute`() throws {
        var fixture = try Fixture()
        fixture.card.expiry = bytes("202601021234")
        func at(_ hour: Int, _ minute: Int) -> CivilDate {
            CivilDate(year: 2026, month: 1, day: 2, hour: hour, minute: minute, second: 0)
        }
        #expect(throws: Never.self) { try key(fixture, now: at(12, 33)) }
        #expect(throws: ECCCertificateError.expired(.card)) { try key(fixture, now: at(12, 34)) }
        #expect(throws: ECCCertificateError.expired(.card)) { try key(fixture, now: at(12, 35)) }
        fixture.issuer.expiry = bytes("20260102")
        #expect(throws: Never.self) { try key(fixture, now: at(12, 33)) }
    }

    @Test func `the kernel compares certificates with the time in UTC`() async throws {
        var fixture = try Fixture()
        fixture.card.expiry = bytes("202601021300")
        let till = try ExtendedTill(fixture)
        #expect(try await till.run(fixture).offlineAuthentication.result == .passed)
        let utc = CivilDate(year: 2026, month: 1, day: 2, hour: 13, minute: 0, second: 0)
        let outcome = try await till.run(fixture, utc: utc)
        #expect(outcome.offlineAuthentication.reason == .ellipticCertificate(.expired(.card)))
    }

    // EMV Book 2 §12.1.1: a certificate on the revocation list fails
    @Test func `a revoked certificate is refused`() async throws {
        let fixture = try Fixture()
        let revoked = CertificateRevocation(rid: Fixture.rid, index: 7, serialNumber: [0, 0, 1])
        #expect(throws: ECCCertificateError.revoked) { try key(fixture, revoked: [revoked]) }
        let outcome = try await ExtendedTill(fixture, revoked: [revoked]).run(fixture)
        #expect(outcome.verificationResults.description == ExtendedAuthenticationTests.recoveryFailed)
    }

    // EMV Book 2 §12.3: the lengths follow from the suites
    @Test func `a certificate of another length is refused`() throws {
        let fixture = try Fixture()
        let (issuer, card) = (try fixture.issuerCertificate(), try fixture.cardCertificate())
        for count in [0, 1, 20, 21, 116] {
            #expect(throws: ECCCertificateError.length(.issuer, expected: 117, actual: count)) {
                try key(fixture, issuer: Array(issuer.prefix(count)))
            }
        }
        for count in [0, 1, 16, 17, 144] {
            #expect(throws: ECCCertificateError.length(.card, expected: 145, actual: count)) {
                try key(fixture, card: Array(card.prefix(count)))
            }
        }
        #expect(throws: ECCCertificateError.length(.issuer, expected: 117, actual: 118)) {
            try key(fixture, issuer: issuer + [0])
        }
        #expect(throws: ECCCertificateError.length(.card, expected: 145, actual: 146)) {
            try key(fixture, card: card + [0])
        }
    }

    // EMV Book 2 §12.3: every bit is signed
    @Test func `a changed bit anywhere is found`() throws {
        let fixture = try Fixture()
        let (issuer, card) = (try fixture.issuerCertificate(), try fixture.cardCertificate())
        for position in stride(from: 0, to: issuer.count, by: 5) {
            var bent = issuer
            bent[position] ^= 0x10
            #expect(throws: ECCCertificateError.self) { try key(fixture, issuer: bent) }
        }
        for position in stride(from: 0, to: card.count, by: 5) {
            var bent = card
            bent[position] ^= 0x10
            #expect(throws: ECCCertificateError.self) { try key(fixture, card: bent) }
        }
    }

    // EMV Book 2 §12.3: a certified x that no point has is refused, however well it is signed
    @Test func `a key that is no point of its curve, or of another curve, is refused`() throws {
        var x = try Fixture().cardKey.publicKey.x
        while (try? EllipticCurvePoint(smallerRootOf: x, on: .p256)) != nil { x[31] &+= 1 }
        for none in [x, [UInt8](repeating: 0xFF, count: 32)] {
            var fixture = try Fixture()
            fixture.card.key = none
            #expect(throws: ECCCertificateError.publicKey(.card)) { try key(fixture) }
            fixture = try Fixture()
            fixture.issuer.key = none
            #expect(throws: ECCCertificateError.publicKey(.issuer)) { try key(fixture) }
        }
        // The suite says P-256, the key is that of P-521.
        var other = try Fixture()
        other.card.key = try Fixture.key(.p521, 3).publicKey.x
        #expect(throws: ECCCertificateError.length(.card, expected: 145, actual: 179)) { try key(other) }
        // The suite says P-521, the key is that of P-256.
        other = try Fixture()
        other.card.suite = 0x11
        #expect(throws: ECCCertificateError.length(.card, expected: 179, actual: 145)) { try key(other) }
    }

    // EMV Book 2 §12.1: a private key is more than one and less than the order less one
    @Test(arguments: CertificateSuite.allCases)
    func `a key with the private key one or zero is refused`(suite: CertificateSuite) throws {
        let length = suite.curve.length
        let one = SensitiveBytes([UInt8](repeating: 0, count: length - 1) + [1])
        let base = try EllipticCurvePrivateKey(secret: one, on: suite.curve)
        #expect(base.publicKey.hasKnownPrivateKey)
        let negated = try EllipticCurvePrivateKey(EllipticCurveScalar(one, on: suite.curve).negated())
        #expect(negated.publicKey.hasKnownPrivateKey)
        #expect(throws: CryptographyError.unusableScalar(suite.curve.rawValue)) {
            try EllipticCurvePrivateKey(secret: SensitiveBytes([UInt8](repeating: 0, count: length)), on: suite.curve)
        }
        var fixture = try Fixture(suite)
        fixture.card.key = base.publicKey.x
        #expect(throws: ECCCertificateError.knownPrivateKey(.card)) { try key(fixture) }
        fixture = try Fixture(suite)
        fixture.issuer.key = base.publicKey.x
        #expect(throws: ECCCertificateError.knownPrivateKey(.issuer)) { try key(fixture) }
        #expect(throws: ECCAuthorityKeyError.knownPrivateKey(rid: Fixture.rid, index: 7)) {
            try ECCAuthorityKey(rid: Fixture.rid, index: 7, suite: suite, key: base.publicKey.x)
        }
    }

    // EMV Book 3 §10.3: a record that is not a template 70 fails the recovery; the tag list does not count
    @Test func `the tag list of static data does not matter for XDA`() async throws {
        var fixture = try Fixture()
        fixture.actions += tlv(0x9F4A, "5A")
        #expect(try await ExtendedTill(fixture).run(fixture).offlineAuthentication.result == .passed)
    }

    // EMV Book 3 §10.3: AIP, AID, and PDOL are certified
    @Test func `a card with another AIP, AID, or PDOL than certified fails`() async throws {
        let changes: [(inout Fixture) -> Void] = [
            { $0.certified[3] = 0x01 }, { $0.certified[$0.certified.count - 1] = 0x11 },
            { $0.pdol = bytes("9F3704") }, { $0.certified += bytes("9F3800") },
        ]
        for change in changes {
            var fixture = try Fixture()
            change(&fixture)
            let outcome = try await ExtendedTill(fixture).run(fixture)
            #expect(outcome.offlineAuthentication.reason == .ellipticCertificate(.staticDataHash))
        }
    }

    // EMV Book 2 §11.2.1: a key comes signed with itself
    @Test func `a self-signed certificate of an authority is verified`() throws {
        for (vector, suite) in [(ExtendedVectors.p256, CertificateSuite.p256), (ExtendedVectors.p521, .p521)] {
            let certificate = bytes(vector.selfSigned)
            let key = try ECCAuthorityCertificate.key(certificate)
            #expect(key.rid == Fixture.rid && key.index == 7 && key.suite == suite)
            #expect(key.key.x == bytes(vector.authorityX))
            #expect(try ECCAuthorityKey(rid: key.rid, index: 7, suite: suite, key: key.key.x) == key)
            for position in [2, 7, 40, certificate.count - 1] {
                var bent = certificate
                bent[position] ^= 0x01
                #expect(throws: ECCAuthorityKeyError.self) { try ECCAuthorityCertificate.key(bent) }
            }
            for (position, value) in [(0, 0x21 as UInt8), (1, 0x01), (8, 0x12)] {
                var bent = certificate
                bent[position] = value
                #expect(throws: ECCAuthorityKeyError.certificateFormat) { try ECCAuthorityCertificate.key(bent) }
            }
            #expect(
                throws: ECCAuthorityKeyError.certificateLength(certificate.count - 1, expected: certificate.count)
            ) { try ECCAuthorityCertificate.key(Array(certificate.dropLast())) }
        }
        #expect(throws: ECCAuthorityKeyError.certificateFormat) { try ECCAuthorityCertificate.key([]) }
    }
}
