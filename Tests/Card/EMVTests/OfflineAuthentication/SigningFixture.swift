import CardSecrets
import Cryptography
import EMV
import SmartCard

/// Signed application data of the fixture's issuer and card, right or wrong.
struct SigningFixture: Sendable {
    var header: UInt8 = 0x6A
    var format: UInt8
    var hashAlgorithm: UInt8 = 1
    /// Replaces the length of the dynamic data.
    var dynamicLength: UInt8?
    var trailer: UInt8 = 0xBC
    var hashDamage: UInt8 = 0
    /// Changes the finished signature.
    var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// Tag 93 over the static data, with data authentication code DA C0.
    static func staticSignature(
        over staticData: [UInt8], _ bend: (inout SigningFixture) -> Void = { _ in }
    ) throws -> [UInt8] {
        var fixture = SigningFixture(format: 3)
        bend(&fixture)
        return try fixture.sign([0xDA, 0xC0], rest: staticData, with: CertificateFixture.issuer())
    }

    /// Tag 9F4B over `dynamicData` and what the terminal gave.
    static func dynamicSignature(
        _ dynamicData: [UInt8], terminalData: [UInt8], _ bend: (inout SigningFixture) -> Void = { _ in }
    ) throws -> [UInt8] {
        var fixture = SigningFixture(format: 5)
        bend(&fixture)
        let length = fixture.dynamicLength ?? UInt8(dynamicData.count)
        return try fixture.sign([length] + dynamicData, rest: terminalData, with: CertificateFixture.card())
    }

    private func sign(_ fields: [UInt8], rest: [UInt8], with key: borrowing RSAPrivateKey) throws -> [UInt8] {
        let content = [format, hashAlgorithm] + fields
        let padded = content + [UInt8](repeating: 0xBB, count: key.length - 22 - content.count)
        var hash = try SHA1.hash(padded + rest)
        hash[0] ^= hashDamage
        return change(try key.apply([header] + padded + hash + [trailer]))
    }

    static let dynamicNumber: [UInt8] = [0x11, 0x22, 0x33, 0x44]

    /// How a card answers GENERATE AC with a signature, to be bent.
    struct Combined: Sendable {
        var fixture: @Sendable (inout SigningFixture) -> Void = { _ in }
        /// Only at the cryptogram with this number; nil for both.
        var isBentAt: Int?
        var signedCID: @Sendable (UInt8) -> UInt8 = { $0 }
        var number: [UInt8] = SigningFixture.dynamicNumber
        /// Cuts the dynamic data.
        var keeps: Int = 255
        /// Replaces what was sent in the hash.
        var sent: @Sendable ([UInt8]) -> [UInt8] = { $0 }
        /// Objects that the card returns and signs beside the usual ones.
        var extra: [UInt8] = []
        /// Changes the answer after it was signed.
        var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }

        static func cryptogram(_ number: Int) -> [UInt8] { [UInt8](repeating: 0xC0 + UInt8(number), count: 8) }

        func answer(_ request: TestCard.SigningRequest) throws -> [UInt8] {
            let bent = isBentAt == nil || isBentAt == request.number ? self : Combined()
            return try bent.sign(request)
        }

        private func sign(_ request: TestCard.SigningRequest) throws -> [UInt8] {
            let front = BERTLV.encode(0x9F27, [request.cid]) + tlv(0x9F36, "002A")
            let back = tlv(0x9F10, "06010A03A00000") + extra
            let hash = try SHA1.hash(sent(request.sent) + front + back)
            let data =
                [UInt8(number.count)] + number + [signedCID(request.cid)] + Self.cryptogram(request.number) + hash
            let signature = try SigningFixture.dynamicSignature(
                Array(data.prefix(keeps)), terminalData: request.unpredictableNumber, fixture)
            return change(tlv(0x77, front, BERTLV.encode(0x9F4B, signature), back))
        }
    }
}

extension TestCard.Profile {
    /// A card with all that SDA, DDA and CDA need. AIP: 5C00 for SDA, 3C00 for DDA, 1D00 for CDA.
    static func authenticated(
        aip: String, tagList: String? = nil, ddol: String? = nil, lacking: Set<BERTag> = [],
        issuer bendIssuer: (inout CertificateFixture.Fields) -> Void = { _ in },
        card bendCard: (inout CertificateFixture.Fields) -> Void = { _ in },
        static bendStatic: (inout SigningFixture) -> Void = { _ in },
        combined: SigningFixture.Combined = SigningFixture.Combined(), _ extra: [UInt8]...
    ) throws -> TestCard.Profile {
        var profile = standard(TestKernel.permissiveIssuer, extra.flatMap(\.self))
        profile.aip = bytes(aip)
        let staticData = profile.records[0] + (tagList == "82" ? profile.aip : [])
        let issuer = try CertificateFixture.issuerCertificate(bendIssuer)
        let card = try CertificateFixture.cardCertificate(staticData: staticData, bendCard)
        let objects: [(BERTag, [UInt8])] = [
            (0x8F, [7]), (0x90, issuer.certificate), (0x92, issuer.remainder), (0x9F32, issuer.exponent),
            (0x9F46, card.certificate), (0x9F48, card.remainder), (0x9F47, card.exponent),
            (0x93, try SigningFixture.staticSignature(over: staticData, bendStatic)),
            (0x9F4A, bytes(tagList ?? "")), (0x9F49, bytes(ddol ?? "")),
        ]
        for (tag, value) in objects where !lacking.contains(tag) && !value.isEmpty {
            profile.records.append(BERTLV.encode(tag, value))
        }
        profile.sign = { data in try Self.signed(data) }
        profile.signCryptogram = { try combined.answer($0) }
        return profile
    }

    /// An answer to INTERNAL AUTHENTICATE.
    static func signed(
        _ terminalData: [UInt8], format2: Bool = false, number: [UInt8] = [4] + SigningFixture.dynamicNumber,
        _ bend: (inout SigningFixture) -> Void = { _ in }
    ) throws -> ResponseAPDU {
        let signature = try SigningFixture.dynamicSignature(number, terminalData: terminalData, bend)
        let data = format2 ? tlv(0x77, BERTLV.encode(0x9F4B, signature)) : BERTLV.encode(0x80, signature)
        return ResponseAPDU(data: data, status: .success)
    }
}

/// Runs a payment of 12.50 at a terminal that asks the issuer above the floor limit only, and has the fixture's key of
/// the certification authority.
struct AuthenticatingTill {
    var floorLimit: UInt32 = 10_000
    var capabilities = "20F8C8"
    var keys: [CAPublicKey]?
    var revoked: [CertificateRevocation] = []
    var actionCodes = ActionCodes(denial: [], online: .floorLimitExceeded, default: [])
    var defaultDDOL = bytes("9F3704")
    var issuer = TestIssuer(code: "00")
    var type: UInt8 = 0x22

    func run(_ card: any CardChannel) async throws -> KernelOutcome {
        let terminal = try TestKernel.terminal(
            type: type, capabilities: capabilities, floorLimit: floorLimit, actionCodes: actionCodes,
            keys: try keys ?? [CertificateFixture.authorityKey()], revoked: revoked, defaultDDOL: defaultDDOL)
        return try await TestKernel(terminal: terminal, issuer: issuer).run(card)
    }

    func run(_ profile: TestCard.Profile) async throws -> KernelOutcome { try await run(TestCard(profile)) }
}
