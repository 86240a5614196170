import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV

/// Certificates of the keys of ``GoldenRun`` with any fields, right or wrong, signed by them.
enum ECCCertificateFixture {
    /// The fields of an issuer's certificate, to be bent.
    struct Issuer {
        var format: UInt8 = 0x12
        var encoding: UInt8 = 0x00
        var identifier = hex("541333FFFF")
        var suite: UInt8 = 0x10
        var expiry = hex("20491231")
        var serialNumber = hex("000001")
        var rid = GoldenRun.rid
        var index: UInt8 = 1
        var key = hex(GoldenRun.issuerX)

        /// Everything before the signature.
        var fields: [UInt8] {
            [format, encoding] + identifier + [suite] + expiry + serialNumber + rid + [index] + key
        }
    }

    /// The fields of a card's certificate, to be bent.
    struct Card {
        var format: UInt8 = 0x14
        var encoding: UInt8 = 0x00
        var suite: UInt8 = 0x00
        var expiry = hex("204912312359")
        var serialNumber = hex("000000000001")
        var hashEncoding: UInt8 = 0x01
        var hashAlgorithm: UInt8 = 0x02
        var hash = GoldenRun.staticDataHash
        var key = hex(GoldenRun.cardX)

        /// Everything before the signature.
        var fields: [UInt8] {
            [format, encoding, suite] + expiry + serialNumber + [hashEncoding, hashAlgorithm] + hash + key
        }
    }

    /// Signs an issuer's certificate, with the key of the certification authority unless a test has another one.
    static func issuer(
        signer: EllipticCurvePrivateKey? = nil, _ bend: (inout Issuer) -> Void = { _ in }
    ) throws -> [UInt8] {
        var issuer = Issuer()
        bend(&issuer)
        return try signed(issuer.fields, signer ?? GoldenRun.key(GoldenRun.authoritySecret))
    }

    /// Signs a card's certificate, with the key of the issuer unless a test has another one.
    static func card(
        signer: EllipticCurvePrivateKey? = nil, _ bend: (inout Card) -> Void = { _ in }
    ) throws -> [UInt8] {
        var card = Card()
        bend(&card)
        return try signed(card.fields, signer ?? GoldenRun.key(GoldenRun.issuerSecret))
    }

    static func signed(_ fields: [UInt8], _ signer: EllipticCurvePrivateKey) throws -> [UInt8] {
        try fields + ECSDSA.sign(fields, key: signer, random: SeededRandomSource(seed: 1))
    }

    /// A key pair on P-521 whose public key has the smaller y.
    static func largeKey(seed: UInt64 = 1) throws -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey.random(on: .p521, from: SeededRandomSource(seed: seed)).withSmallerY()
    }
}
