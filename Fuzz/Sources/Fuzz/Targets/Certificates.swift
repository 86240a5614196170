import CardSecrets
import Cryptography
import EMV

extension FuzzTarget {
    /// A fuzzer does not find valid signatures. Most inputs are therefore signed here: a kind, the signer's expiry,
    /// the lengths of the parts that follow, and then content, remainder, exponent, and data.
    static let certificates = FuzzTarget(
        "certificates", longestInput: 800,
        seeds: {
            let issuer = try CertificateFixture.issuerCertificate()
            let card = try CertificateFixture.cardCertificate()
            let (issuerKey, cardKey) = (try CertificateFixture.issuerKey().key, try CertificateFixture.cardKey().key)
            func seed(_ kind: UInt8, _ parts: [UInt8]...) -> [UInt8] {
                [kind] + parts.map { UInt8($0.count) } + parts.flatMap(\.self)
            }
            let issuerFields = bytes("02 476173FF 1126 010203 01 01 58 01")
            let cardFields = bytes("04") + CertificateFixture.pan + bytes("FFFF 1126 010203 01 01 50 01")
            return [
                seed(0, issuer.certificate, issuer.remainder, issuer.exponent, []),
                seed(0, card.certificate, card.remainder, card.exponent, CertificateFixture.staticData),
                seed(1, issuerFields + issuerKey.modulus.prefix(60), Array(issuerKey.modulus.dropFirst(60)), [3], []),
                seed(
                    2, cardFields + cardKey.modulus.prefix(46), Array(cardKey.modulus.dropFirst(46)), [3],
                    CertificateFixture.staticData),
                seed(3, bytes("0301DAC0"), [], [], CertificateFixture.staticData),
                seed(4, bytes("0501050411223344"), [], [], bytes("AABBCCDD")),
                seed(4, bytes("050126 0411223344 80 C1C1C1C1C1C1C1C1") + [UInt8](repeating: 7, count: 20), [], [], []),
            ]
        },
        run: { bytes in
            let input = Choices(bytes)
            let kind = input.number(below: 6)
            let lengths = (0..<4).map { _ in input.number(below: 256) }
            let parts = lengths.map(input.bytes)
            try open(kind, parts[0], parts[1], parts[2], parts[3])
        })

    private static func open(
        _ kind: Int, _ content: [UInt8], _ remainder: [UInt8], _ exponent: [UInt8], _ data: [UInt8]
    ) throws {
        func certificate(_ bytes: [UInt8]) -> PublicKeyCertificate {
            PublicKeyCertificate(certificate: bytes, remainder: remainder, exponent: exponent)
        }
        let pan = { try CertificateFixture.primaryAccountNumber() }
        let date = CertificateFixture.date
        switch kind {
        case 0:
            // Nothing is signed: the authority's key comes from the input.
            let authority = try CAPublicKey(
                rid: CertificateFixture.rid, index: 7, modulus: data, exponent: [3], checksum: nil)
            _ = try IssuerPublicKey(
                recovering: certificate(content), authority: authority, pan: pan(), date: date)
        case 1:
            let key = try Keys.shared.get()
            let signed = try sign(content, rest: remainder + exponent, with: CertificateFixture.authority())
            let issuer = try IssuerPublicKey(
                recovering: certificate(signed), authority: key.authority, pan: pan(), date: date)
            hold(issuer.key.length <= key.authority.key.length, "an issuer's key is no longer than the authority's")
            same(issuer.serialNumber.count, 3, "a serial number of three bytes")
        case 2:
            let issuer = try Keys.shared.get().issuer
            let signed = try sign(content, rest: remainder + exponent + data, with: CertificateFixture.issuer())
            let card = try ICCPublicKey(
                recovering: certificate(signed), issuer: issuer, pan: pan(), staticData: data, date: date)
            hold(card.key.length <= issuer.key.length, "a card's key is no longer than its issuer's")
            _ = try? ICCPublicKey(recoveringPINKey: certificate(signed), issuer: issuer, pan: pan(), date: date)
        case 3:
            let signed = try sign(content, rest: data, with: CertificateFixture.issuer())
            let recovered = try SignedStaticApplicationData(
                opening: signed, issuer: Keys.shared.get().issuer, staticData: data)
            same(recovered.dataAuthenticationCode.count, 2, "a data authentication code of two bytes")
        case 4:
            let signed = try sign(content, rest: data, with: CertificateFixture.card())
            let recovered = try SignedDynamicApplicationData(
                opening: signed, key: Keys.shared.get().card, terminalData: data)
            hold((2...8).contains(recovered.dynamicNumber.count), "a dynamic number of two to eight bytes")
            same(recovered.combined?.cryptogram.count ?? 8, 8, "a cryptogram of eight bytes")
            same(recovered.combined?.transactionDataHash.count ?? 20, 20, "a hash of twenty bytes")
        default:
            hold(
                (try? SignedStaticApplicationData(
                    opening: content, issuer: Keys.shared.get().issuer, staticData: data)) == nil,
                "no valid signature without the key")
        }
    }

    private struct Keys: Sendable {
        let authority: CAPublicKey
        let issuer: IssuerPublicKey
        let card: ICCPublicKey

        static let shared = Result {
            Keys(
                authority: try CertificateFixture.authorityKey(), issuer: try CertificateFixture.issuerKey(),
                card: try CertificateFixture.cardKey())
        }
    }

    /// Signs any content, padded with BB or truncated.
    private static func sign(
        _ content: [UInt8], rest: [UInt8], with key: borrowing RSAPrivateKey
    ) throws -> [UInt8] {
        let room = key.length - 22
        let filled = content.prefix(room) + [UInt8](repeating: 0xBB, count: max(0, room - content.count))
        return try key.apply([0x6A] + filled + SHA1.hash(filled + rest) + [0xBC])
    }
}
