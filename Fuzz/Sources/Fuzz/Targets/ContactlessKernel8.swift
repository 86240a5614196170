import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import SmartCard

extension FuzzTarget {
    /// Certificates on elliptic curves, and the messages of the secure channel. A fuzzer does not find valid
    /// signatures, so most inputs are signed here: a kind, and then the bytes.
    static let ellipticCurves = FuzzTarget(
        "elliptic-curves", longestInput: 800,
        seeds: {
            let keys = try CurveKeys.shared.get()
            let signature = [UInt8](repeating: 7, count: 64)
            func seed(_ kind: UInt8, _ rest: [UInt8]) -> [UInt8] { [kind] + rest }
            return [
                seed(0, keys.issuerFields), seed(1, keys.cardFields), seed(0, Array(keys.issuerFields.dropLast())),
                seed(1, keys.cardFields + [0]), seed(2, keys.issuerFields + signature), seed(3, keys.kernelKeyData),
                seed(4, keys.kernelKeyData), seed(5, bytes("9F8111 08 0102030405060708")),
                seed(6, bytes("9F8111 08 0102030405060708 1122334455667788")),
                seed(7, bytes("80 0A A1A2A3A4 0000 FFFF 0012")),
                seed(8, keys.signerFields), seed(8, keys.signerFields + [0]), seed(9, [0x15] + signature),
            ]
        },
        run: { bytes in
            let rest = Array(bytes.dropFirst())
            let keys = try CurveKeys.shared.get()
            switch (bytes.first ?? 0) % 10 {
            case 0: try keys.verify(issuer: signed(rest, keys.authority), card: keys.signedCard)
            case 1: try keys.verify(issuer: keys.signedIssuer, card: signed(rest, keys.issuer))
            case 2:
                let parsed = try IssuerECCCertificate(rest, signedWith: rest.count.isMultiple(of: 2) ? .p256 : .p521)
                same(parsed.serialNumber.count, 3, "a serial number of three bytes")
                same(parsed.key.count, parsed.keySuite.keyLength, "a key as long as its curve")
                hold((try? keys.verify(issuer: rest, card: keys.signedCard)) == nil, "no signature without the key")
            case 3:
                for curve in EllipticCurve.allCases {
                    if let point = try? EllipticCurvePoint(smallerRootOf: rest, on: curve) {
                        hold(point.hasSmallerY, "the smaller root")
                        same(try EllipticCurvePoint(coordinates: point.coordinates, on: curve), point, "the same point")
                    }
                    _ = try? EllipticCurvePoint(encoded: rest, on: curve)
                    _ = try? EllipticCurvePoint(coordinates: rest, on: curve)
                }
            case 4:
                _ = try KernelKeyPair(suite: .p256AES128, random: SeededRandomSource(seed: 1))
                    .openChannel(cardKeyData: rest)
            case 5:
                // What a card has enciphered is read again as it was, if it is an envelope.
                let factor = try EllipticCurveScalar.random(on: .p256, from: SeededRandomSource(seed: 2))
                let pair = try KernelKeyPair(suite: .p256AES128, random: SeededRandomSource(seed: 1))
                var card = try CardSecureChannel(
                    key: keys.card, kernelKeyData: pair.keyData, blindingFactor: factor)
                var kernel = try pair.openChannel(cardKeyData: card.keyData)
                let envelope = try DataEnvelope(0x9F_8111, rest)
                let read = try kernel.openEnvelope(card.sealEnvelope(envelope), tag: 0x9F_8111)
                same(read.withUnsafeBytes { [UInt8]($0) }, rest, "the same envelope")
            case 6:
                let factor = try EllipticCurveScalar.random(on: .p256, from: SeededRandomSource(seed: 2))
                let pair = try KernelKeyPair(suite: .p256AES128, random: SeededRandomSource(seed: 1))
                let card = try CardSecureChannel(
                    key: keys.card, kernelKeyData: pair.keyData, blindingFactor: factor)
                var kernel = try pair.openChannel(cardKeyData: card.keyData)
                do { _ = try kernel.openEnvelope(rest, tag: 0x9F_8111) } catch {}
                do { _ = try kernel.openRecord(rest) } catch {}
                let next = kernel.nextCardNumber
                same(next, 0x8003, "every message counts")
            case 8:
                // A chip's certificate for XDA, and the self-signed one of an authority.
                try? keys.verifySigner(signed(rest, keys.issuer))
                if let key = try? ECCAuthorityCertificate.key(rest) {
                    hold(!key.key.hasKnownPrivateKey, "a key that not everybody knows")
                }
            case 9:
                var isForged = true
                do { try ExtendedSignature.verify(rest, of: [0x15], key: keys.card.publicKey) } catch {
                    isForged = false
                }
                hold(!isForged, "no signature without the key")
            default:
                let answer = try RelayResistanceAnswer(response: rest)
                same(answer.bytes, Array(rest.dropFirst(2)), "an answer as it was received")
                _ = try? StaticDataHash.tags(in: rest)
            }
        })

    fileprivate static func signed(_ fields: [UInt8], _ key: EllipticCurvePrivateKey) throws -> [UInt8] {
        try fields + ECSDSA.sign(fields, key: key, random: SeededRandomSource(seed: 1))
    }

    private struct CurveKeys: Sendable {
        let authority, issuer, card: EllipticCurvePrivateKey
        let authorityKey: ECCAuthorityKey
        let kernelKeyData: [UInt8]
        let issuerFields, cardFields: [UInt8]
        /// Of a chip that signs on the curve.
        let signerFields: [UInt8]
        let signedIssuer, signedCard: [UInt8]

        static let shared = Result { try CurveKeys() }

        private init() throws {
            func key(_ seed: UInt64) throws -> EllipticCurvePrivateKey {
                try EllipticCurvePrivateKey.random(on: .p256, from: SeededRandomSource(seed: seed)).withSmallerY()
            }
            authority = try key(1)
            issuer = try key(2)
            card = try key(3)
            authorityKey = try ECCAuthorityKey(
                rid: bytes("F000000008"), index: 1, suite: .p256, key: authority.publicKey.x)
            kernelKeyData = try key(4).publicKey.coordinates
            let hash = [UInt8](repeating: 7, count: 32)
            issuerFields = bytes("1200 541333FFFF 10 20491231 000001 F000000008 01") + issuer.publicKey.x
            cardFields = bytes("140000 204912312359 000000000001 0102") + hash + card.publicKey.x
            signerFields =
                try bytes("140010 204912312359 000000000001 0002") + SHA256.hash(Self.staticData) + card.publicKey.x
            signedIssuer = try FuzzTarget.signed(issuerFields, authority)
            signedCard = try FuzzTarget.signed(cardFields, issuer)
        }

        private static let staticData: [UInt8] = [0x5A, 0x00]

        /// Verifies the chain of a chip. The card's key of a good one is a point whose private key not everybody knows.
        func verifySigner(_ card: [UInt8]) throws {
            let key = try ECCCertificateChain.signatureKey(
                issuerCertificate: signedIssuer, cardCertificate: card, authority: authorityKey,
                dfName: bytes("F0000000080101"),
                pan: PrimaryAccountNumber(compressedNumeric: bytes("5413330089600119")),
                staticData: SensitiveBytes(Self.staticData), now: CivilDate(year: 2026, month: 11, day: 30))
            hold(key.hasSmallerY && !key.hasKnownPrivateKey, "a key with the smaller root")
        }

        /// Verifies a chain. The card's key of a good one is a point.
        func verify(issuer: [UInt8], card: [UInt8]) throws {
            let key = try ECCCertificateChain.cardKey(
                issuerCertificate: issuer, cardCertificate: card, authority: authorityKey, keyIndex: 1,
                dfName: bytes("F0000000080101"),
                pan: PrimaryAccountNumber(compressedNumeric: bytes("5413330089600119")),
                staticDataHash: [UInt8](repeating: 7, count: 32),
                now: CivilDate(year: 2026, month: 11, day: 30))
            hold(key.hasSmallerY, "a key with the smaller root")
        }
    }
}
