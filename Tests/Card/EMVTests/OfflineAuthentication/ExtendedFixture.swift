import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard

/// A card with XDA that really signs, and the keys of its issuer and of the payment system.
struct ExtendedFixture: Sendable {
    static let rid = bytes("A000000003")

    /// The fields of the issuer's certificate before the signature (EMV Book 2 table 35).
    struct Issuer: Sendable {
        var format: [UInt8] = [0x12, 0x00]
        var identifier = bytes("476173FFFF")
        var suite: UInt8
        var expiry = bytes("20491231")
        var serialNumber = bytes("000001")
        var rid = ExtendedFixture.rid
        var index: UInt8 = 7
        var key: [UInt8]

        var encoded: [UInt8] { format + identifier + [suite] + expiry + serialNumber + rid + [index] + key }
    }

    /// The fields of the card's certificate before the signature (EMV Book 2 table 36).
    struct Card: Sendable {
        var format: [UInt8] = [0x14, 0x00]
        var suite: UInt8
        var expiry = bytes("204912312359")
        var serialNumber = bytes("000000000002")
        var hashEncoding: UInt8 = 0x00
        var hashAlgorithm: UInt8 = 0x02
        /// nil for that of the card's data.
        var hash: [UInt8]?
        var key: [UInt8]
    }

    let authority: EllipticCurvePrivateKey
    let issuerKey: EllipticCurvePrivateKey
    let cardKey: EllipticCurvePrivateKey
    let suite: CertificateSuite
    var issuer: Issuer
    var card: Card
    /// The data that the terminal hashes after the records: AIP and AID.
    var certified = bytes("82029C00") + BERTLV.encode(0x9F06, TestCard.Profile.visa)
    var pdol: [UInt8]?
    /// Tags that the card does not have.
    var missing: Set<BERTag> = []
    /// Changes what the card answers to GENERATE AC.
    var answer: @Sendable (_ number: Int, _ objects: inout [BERTLV]) -> Void = { _, _ in }
    /// Changes the signature of the card.
    var signature: @Sendable (_ number: Int, _ signed: inout [UInt8]) -> Void = { _, _ in }
    var first: @Sendable (UInt8) -> UInt8 = { $0 }
    var second: @Sendable (UInt8) -> UInt8 = { $0 }
    var actions = TestKernel.permissiveIssuer

    init(_ suite: CertificateSuite = .p256, card cardSuite: CertificateSuite? = nil) throws {
        self.suite = suite
        let cardSuite = cardSuite ?? suite
        authority = try Self.key(suite, 1)
        issuerKey = try Self.key(suite, 2)
        cardKey = try Self.key(cardSuite, 3)
        issuer = Issuer(suite: suite.rawValue, key: issuerKey.publicKey.x)
        card = Card(suite: cardSuite.rawValue, key: cardKey.publicKey.x)
    }

    static func key(_ suite: CertificateSuite, _ seed: UInt64) throws -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey.random(on: suite.curve, from: SeededRandomSource(seed: seed)).withSmallerY()
    }

    func authorityKey(expiry: CivilDate? = nil) throws -> ECCAuthorityKey {
        try ECCAuthorityKey(rid: Self.rid, index: 7, suite: suite, key: authority.publicKey.x, expiry: expiry)
    }

    var record: [UInt8] {
        let pan = TestCard.Profile.pan
        return tlv(0x5A, pan) + tlv(0x57, pan + "D31122011000000000000F") + tlv(0x5F24, "311231") + tlv(0x5F34, "01")
    }

    var staticData: [UInt8] { record + certified }

    func issuerCertificate() throws -> [UInt8] { try issuer.encoded + Self.sign(issuer.encoded, authority) }

    func cardCertificate() throws -> [UInt8] {
        let hash = try card.hash ?? (card.hashAlgorithm == 3 ? SHA512.hash(staticData) : SHA256.hash(staticData))
        let fields =
            card.format + [card.suite] + card.expiry + card.serialNumber
            + [card.hashEncoding, card.hashAlgorithm] + hash + card.key
        return try fields + Self.sign(fields, issuerKey)
    }

    static func sign(_ message: [UInt8], _ key: EllipticCurvePrivateKey) throws -> [UInt8] {
        try ECSDSA.sign(message, key: key, random: SeededRandomSource(seed: 9))
    }

    func profile() throws -> TestCard.Profile {
        var profile = TestCard.Profile()
        let pdol = pdol.map { BERTLV.encode(0x9F38, $0) } ?? []
        profile.applications = [
            TestCard.Application(aid: TestCard.Profile.visa, proprietary: tlv(0x50, "56495341") + pdol)
        ]
        profile.aip = bytes("9C00")
        let objects: [(BERTag, [UInt8])] = [
            (0x8F, [7]), (0x90, try issuerCertificate()), (0x9F46, try cardCertificate()),
        ]
        let certificates = objects.filter { !missing.contains($0.0) }.map { BERTLV.encode($0.0, $0.1) }
        profile.records =
            [
                record, tlv(0x8C, TestCard.Profile.cdol1.hexText) + tlv(0x8D, TestCard.Profile.cdol2.hexText),
                tlv(0x8E, "0000000000000000 1F00") + tlv(0x5F28, "0840") + tlv(0x9F42, "0840") + actions,
            ] + certificates
        (profile.first, profile.second) = (first, second)
        profile.signExtended = { [cardKey, answer, signature] request in
            var objects = [
                BERTLV(0x9F27, [request.cid]), BERTLV(0x9F36, [0x00, 0x2A]),
                BERTLV(0x9F26, [UInt8](repeating: 0xA0 + UInt8(request.number), count: 8)),
                BERTLV(0x9F10, bytes("06010A03A00000")),
            ]
            // The first cryptogram covers the data of GET PROCESSING OPTIONS too, the second only its own.
            let covered = request.number == 1 ? request.sent : request.data
            var signed = [0x15] + (try Self.sign([0x15] + covered + objects.flatMap(\.encoded), cardKey))
            signature(request.number, &signed)
            objects.append(BERTLV(0x9F4B, signed))
            answer(request.number, &objects)
            return BERTLV(0x77, children: objects).encoded
        }
        return profile
    }
}

/// A till with the payment system's key on an elliptic curve.
struct ExtendedTill {
    var kernel = TestKernel()

    init(
        _ fixture: ExtendedFixture, capabilities: String = "20F8CC", floorLimit: UInt32 = 100_000, type: UInt8 = 0x22,
        actionCodes: ActionCodes? = nil, keys: [ECCAuthorityKey]? = nil, revoked: [CertificateRevocation] = [],
        issuer: TestIssuer = TestIssuer(code: "00")
    ) throws {
        kernel.terminal = try TestKernel.terminal(
            type: type, capabilities: capabilities, floorLimit: floorLimit, actionCodes: actionCodes, revoked: revoked
        ).adding(ellipticAuthorityKeys: try keys ?? [fixture.authorityKey()])
        kernel.issuer = issuer
    }

    func run(_ card: TestCard, utc: CivilDate? = nil) async throws -> KernelOutcome {
        var request = try TestKernel.request()
        request.utc = utc
        return try await kernel.run(card, request)
    }

    func run(_ fixture: ExtendedFixture, utc: CivilDate? = nil) async throws -> KernelOutcome {
        try await run(TestCard(fixture.profile()), utc: utc)
    }
}
