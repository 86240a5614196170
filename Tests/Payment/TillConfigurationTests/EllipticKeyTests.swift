import CardSecrets
import Cryptography
import Determinism
import EMV
import Foundation
import Money
import Settings
import Testing
import TillConfiguration

/// Public keys on elliptic curves, and the limits of relay resistance, in a till's configuration.
struct EllipticKeyTests {
    private static func point(_ seed: UInt64, _ curve: EllipticCurve = .p256) throws -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey.random(on: curve, from: SeededRandomSource(seed: seed)).withSmallerY()
    }

    private static func key(
        _ seed: UInt64 = 1, _ suite: CertificateSuite = .p256, index: UInt8 = 0x20
    ) throws -> ECCAuthorityKey {
        try ECCAuthorityKey(
            rid: [0xA0, 0, 0, 0, 3], index: index, suite: suite, key: point(seed, suite.curve).publicKey.x)
    }

    private static func entry(
        _ key: ECCAuthorityKey, suite: String? = nil, x: [UInt8]? = nil, y: [UInt8]? = nil, checksum: [UInt8]? = nil
    ) -> String {
        "  - { rid: A000000003, index: \([key.index].hex), suite: \(suite ?? [key.suite.rawValue].hex), "
            + "x: \"\((x ?? key.key.x).hex)\", " + (y.map { "y: \"\($0.hex)\", " } ?? "")
            + "checksum: \"\((checksum ?? key.checksum).hex)\" }\n"
    }

    private static func read(_ text: String) throws -> TillConfiguration {
        try TillConfiguration(yaml: text, file: "till.yaml")
    }

    private static func failure(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    // EMV Book 2 §11.2.2: RID, index, suite, coordinates, and checksum of a key on an elliptic curve
    @Test func `keys on both curves are read, with x alone or with y, and written again`() throws {
        let keys = [try Self.key(), try Self.key(2, .p521, index: 0x21)]
        let till = try Self.read("capks:\n" + Self.entry(keys[0]) + Self.entry(keys[1], y: keys[1].key.y))
        #expect(till.terminal.ellipticAuthorityKeys == keys)
        #expect(till.terminal(for: try .init(code: "EUR")).ellipticAuthorityKeys == keys)
        #expect(till.terminal.certificationAuthorityKeys.isEmpty)
        #expect(try Self.read(till.yaml) == till)
    }

    // EMV Book 2 §11.2.1: a payment system distributes its key signed with itself
    @Test func `a self-signed certificate is a key, and needs no checksum`() throws {
        let own = try Self.point(1)
        let key = try Self.key()
        let fields = [0x20, 0x00] + key.rid + [key.index, 0x10] + key.key.x
        let signed = try fields + ECSDSA.sign(fields, key: own, random: SeededRandomSource(seed: 5))
        let till = try Self.read("capks:\n  - certificate: \"\(signed.hex)\"\n    expires: 2030-12-31\n")
        #expect(till.terminal.ellipticAuthorityKeys.map(\.key) == [key.key])
        #expect(till.terminal.ellipticAuthorityKeys.first?.expiry == CivilDate(year: 2030, month: 12, day: 31))
        var bent = signed
        bent[60] ^= 1
        let found = Self.failure("capks:\n  - certificate: \"\(bent.hex)\"\n")
        #expect(found?.contains("is not signed with its key") == true, "\(found ?? "")")
        let mixed = Self.failure("capks:\n  - { certificate: \"\(signed.hex)\", rid: A000000003 }\n")
        #expect(mixed?.contains("unknown key 'rid'") == true, "\(mixed ?? "")")
    }

    @Test func `each mistake in a key is named with its place`() throws {
        let key = try Self.key()
        let one = SensitiveBytes([UInt8](repeating: 0, count: 31) + [1])
        let base = try EllipticCurvePrivateKey(secret: one, on: .p256).publicKey
        let larger = try EllipticCurvePrivateKey(
            EllipticCurveScalar(
                SensitiveBytes([UInt8](repeating: 7, count: 32)), on: .p256))
        let other = larger.publicKey.hasSmallerY ? try larger.withLargerY() : larger.publicKey
        var none = key.key.x
        while (try? EllipticCurvePoint(smallerRootOf: none, on: .p256)) != nil { none[31] &+= 1 }
        let cases: [(String, String)] = [
            (Self.entry(key, suite: "12"), "suite"),
            (Self.entry(key, suite: "11"), "x"),
            (Self.entry(key, x: none), "x: CA public key A000000003 20"),
            (Self.entry(key, x: Array(key.key.x.dropLast())), "x"),
            (Self.entry(key, x: base.x), "whose private key is one"),
            (Self.entry(key, x: other.x, y: other.y), "is the larger root"),
            (Self.entry(key, checksum: [UInt8](repeating: 0, count: 32)), "the checksum of CA public key"),
            (Self.entry(key, checksum: [UInt8](repeating: 0, count: 20)), "checksum"),
            ("  - { rid: A000000003, index: 20, suite: 10, x: \"\(key.key.x.hex)\" }\n", "'checksum' is missing"),
            ("  - { rid: A000000003, index: 20, suite: 10 }\n", "'x' is missing"),
            ("  - { rid: A000000003, suite: 10, x: 00 }\n", "'index' is missing"),
            (Self.entry(key) + Self.entry(key), "duplicate key 20 of A000000003"),
            (Self.entry(key) + Self.entry(try Self.key(3)), "differs from the key in"),
        ]
        for (text, expected) in cases {
            let found = Self.failure("capks:\n" + text)
            #expect(found?.contains(expected) == true, "\(expected): \(found ?? "taken")")
        }
    }

    // EMV Book 2 §11.2.2: an RSA key and a key on an elliptic curve cannot have the same index
    @Test func `an RSA key with the index of a key on a curve is refused`() throws {
        var modulus = SeededRandomSource(seed: 1).bytes(128)
        modulus[0] |= 0x80
        modulus[127] |= 1
        let checksum = try SHA1.hash([0xA0, 0, 0, 0, 3, 0x20] + modulus + [3])
        let rsa =
            "  - { rid: A000000003, index: 20, exponent: 03, modulus: \"\(modulus.hex)\", "
            + "checksum: \(checksum.hex) }\n"
        let found = Self.failure("capks:\n" + rsa + Self.entry(try Self.key()))
        #expect(found?.contains("differs from the key in") == true, "\(found ?? "taken")")
    }

    @Test func `a terminal may announce XDA by name or by its bit`() throws {
        let named = try Self.read("terminal: { capabilities: [contactChip, noCVM, cda, xda] }")
        #expect(named.terminal.capabilities.description == "20080C")
        #expect(try Self.read("terminal: { capabilities: 20080C }") == named)
        #expect(TillConfiguration.standard.terminal.capabilities.isDisjoint(with: [.xda]))
    }

    @Test func `the limits of relay resistance are read, and written again`() throws {
        #expect(TillConfiguration.standard.relayResistance == nil)
        #expect(try Self.read("terminal: { relayResistance: { enabled: false } }").relayResistance == nil)
        #expect(try Self.read("terminal: { relayResistance: {} }").yaml.contains("maximumGrace: 50\n"))
        let till = try Self.read(
            """
            terminal:
              relayResistance:
                minimumGrace: 1
                maximumGrace: 2
                expectedCommandTime: 3
                expectedAnswerTime: 4
                accuracyThreshold: 65535
                mismatchThreshold: 100
            """)
        for line in [
            "minimumGrace: 1\n", "maximumGrace: 2\n", "expectedCommandTime: 3\n", "expectedAnswerTime: 4\n",
            "accuracyThreshold: 65535\n", "mismatchThreshold: 100 ",
        ] {
            #expect(till.yaml.contains(line), "\(line)")
        }
        #expect(try Self.read(till.yaml) == till)
        #expect(try Self.read(TillConfiguration.standard.yaml).relayResistance == nil)
    }

    @Test func `a limit that is out of range or misspelled is an error`() {
        for (text, expected) in [
            ("maximumGrace: 65536", "maximumGrace"), ("minimumGrace: -1", "minimumGrace"),
            ("mismatchThreshold: 101", "mismatchThreshold"), ("maximumgrace: 1", "unknown key 'maximumgrace'"),
            ("enabled: perhaps", "enabled"),
        ] {
            let found = Self.failure("terminal: { relayResistance: { \(text) } }")
            #expect(found?.contains(expected) == true, "\(found ?? "taken")")
        }
    }
}

extension [UInt8] {
    fileprivate var hex: String { map { String(format: "%02X", $0) }.joined() }
}

extension EllipticCurvePrivateKey {
    /// The point with the same x and the larger y.
    fileprivate func withLargerY() throws -> EllipticCurvePoint {
        let smaller = try withSmallerY().publicKey
        return try EllipticCurvePoint(
            encoded: [smaller.y[smaller.y.count - 1] & 1 == 0 ? 0x03 : 0x02] + smaller.x, on: curve)
    }
}
