import CardSecrets
import Cryptography
import ISO8583
import Testing

@testable import HostSecurity

@Suite("MACs of messages")
struct MessageAuthenticatorTests {
    private static let retail = "0123456789ABCDEFFEDCBA9876543210"

    private func authenticator(
        _ algorithm: SecurityRules.MACRule.Algorithm, padding: Int = 1, bytes: Int = 8
    ) -> MessageAuthenticator {
        MessageAuthenticator(
            SecurityRules.MACRule(
                algorithm: algorithm, padding: padding, bytes: bytes, scheme: .masterSession, key: "TAK",
                messages: [.sale]))
    }

    // Messages 9 and 27 of Tests/Payment/ISO8583Tests/Vectors, made with pyiso8583 and psec
    private static let hexText = """
        30323030333233433037433032304330393230353030303030303030303030303030313235303131323330313138303030303030\
        30353032313830303131323333303132303531303031303031303031323334343736313733393030313031303031303D33303132\
        323031313134333830343438395445524D303030314D45524348414E543030303030303139373836323146393146353437304632\
        43464532323639463236303838443145334135433730423239343646394632373031383039463130303730363031304130334130\
        41383030394633373034354231433945303439463336303230303137393530353030303030303830303039413033323631313233\
        39433031303039463032303630303030303030303132353035463241303230393738383230323139383039463141303230323736\
        39463033303630303030303030303030303039463333303345304638433839463334303330323033303039463335303132323834\
        30374130303030303030303331303130354633343031303130303630303031323336383134314345453546353245324137
        """
    private static let packed = """
        60000100000200703C078000C0000516476173900101001000000000000000125000001302270011233012005100010001005445\
        524D303030314D45524348414E5430303030303031000630303031323561FE9D1B17406BA3
        """

    @Test(arguments: [("iso87-ascii", hexText), ("iso87-bcd-tpdu", packed)])
    func `messages of pyiso8583 and psec are right, and wrong when a bit of them changes`(
        base: String, digits: String
    ) async throws {
        let profile = try profile("", basedOn: base)
        let codec = profile.makeCodec()
        let body = hex(digits)
        let mac = try key("TAK", Self.retail)
        let authenticator = authenticator(.iso9797Algorithm3)
        #expect(await authenticator.check(try codec.decode(body), in: body, with: mac) == .right)
        #expect(
            await authenticator.check(
                try codec.decode(body), in: body, with: try key("TAK", "FEDCBA98765432100123456789ABCDEF")) == .wrong)
        var found = 0
        for place in profile.header.count..<body.count {
            var changed = body
            changed[place] ^= 1
            // A change of the bitmap makes another message, or none.
            guard let message = try? codec.decode(changed) else { continue }
            found += 1
            #expect(await authenticator.check(message, in: changed, with: mac) != .right, "byte \(place)")
        }
        #expect(found > body.count / 3)
        if base == "iso87-bcd-tpdu" {
            // The header is not covered: a network may swap its addresses.
            var swapped = body
            swapped[2] ^= 1
            #expect(await authenticator.check(try codec.decode(swapped), in: swapped, with: mac) == .right)
        }
    }

    private func sale(_ profile: MessageProfile, field128: Bool) throws -> ISOMessage {
        var message = ISOMessage(try #require(MessageType(profile.version == .v1987 ? "0200" : "1200")))
        for (field, value) in [3: "000000", 4: "000000001250", 11: "000001", 41: "TERM0001"] {
            message.set(field, value)
        }
        if field128 { message.set(102, "ACCOUNT") }
        return message
    }

    @Test(arguments: MessageAuthenticator.cases, [false, true])
    func `what one end seals the other finds right, and nothing else`(
        _ sample: MessageAuthenticator.Sample, field128: Bool
    ) async throws {
        let authenticator = authenticator(sample.algorithm, padding: sample.padding, bytes: sample.bytes)
        let mac = try key("TAK", sample.key, sample.cipher)
        #expect(authenticator.accepts(mac))
        for name in ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic"] {
            let profile = try profile("", basedOn: name)
            let codec = profile.makeCodec()
            var message = try codec.encode(try sale(profile, field128: field128), hasMAC: true)
            try await authenticator.seal(&message, with: mac)
            let decoded = try codec.decode(message.bytes)
            #expect(decoded.macField == (field128 ? 128 : 64))
            #expect(await authenticator.check(decoded, in: message.bytes, with: mac) == .right)
            let value = try #require(decoded.message.bytes(of: field128 ? 128 : 64))
            #expect(value.count == 8 && value.suffix(8 - sample.bytes).allSatisfy { $0 == 0 })
            // Field 11 is the same in all of them but for the encoding.
            var other = message.bytes
            other[(message.macCoverage?.upperBound ?? 1) - 1] ^= 1
            if let read = try? codec.decode(other) {
                #expect(await authenticator.check(read, in: other, with: mac) == .wrong)
            }
            // Zeros instead of the MAC are wrong, and without its field it is missing.
            var zeros = try sale(profile, field128: field128)
            zeros.set(field128 ? 128 : 64, bytes: [UInt8](repeating: 0, count: 8))
            let blank = try codec.encode(zeros).bytes
            #expect(await authenticator.check(try codec.decode(blank), in: blank, with: mac) == .wrong)
            let bare = try codec.encode(try sale(profile, field128: field128)).bytes
            #expect(await authenticator.check(try codec.decode(bare), in: bare, with: mac) == .missing)
        }
    }

    @Test func `the code is that of the published examples, cut to its length`() async throws {
        let text = Array("Now is the time for all ".utf8)
        let retail = try key("TAK", Self.retail)
        // ISO/IEC 9797-1 annex B, ANSI X9.19
        #expect(
            try await authenticator(.iso9797Algorithm3).code(text, key: retail, fieldLength: 8)
                == hex("A1C72E74EA3FA9B6"))
        #expect(
            try await authenticator(.iso9797Algorithm3, padding: 2, bytes: 4).code(text, key: retail, fieldLength: 8)
                == hex("E908623000000000"))
        let single = try key("TAK", "0123456789ABCDEF0123456789ABCDEF")
        #expect(
            try await authenticator(.iso9797Algorithm1).code(text, key: single, fieldLength: 8)
                == hex("70A30640CC76DD8B"))
        // RFC 4493, RFC 4231
        let aes = try key("TAK", "2B7E151628AED2A6ABF7158809CF4F3C", .aes)
        let block = hex("6BC1BEE22E409F96E93D7E117393172A")
        #expect(try await authenticator(.cmac).code(block, key: aes, fieldLength: 8) == hex("070A16B46B4D4144"))
        let code = try key("TAK", String(repeating: "0B", count: 20), .hmac)
        #expect(
            try await authenticator(.hmacSHA256).code(Array("Hi There".utf8), key: code, fieldLength: 8)
                == hex("B0344C61D8DB3853"))
    }

    @Test func `fields behind the MAC make it none`() async throws {
        let profile = try profile(
            "encoding: { tertiaryBitmap: afterSecondary }\nfields: { 130: { name: More, attribute: n, length: 1 } }\n")
        let codec = profile.makeCodec()
        let mac = try key("TAK", Self.retail)
        let authenticator = authenticator(.iso9797Algorithm3)
        var message = try sale(profile, field128: true)
        message.set(130, "1")
        var encoded = try codec.encode(message, hasMAC: true)
        try await authenticator.seal(&encoded, with: mac)
        #expect(await authenticator.check(try codec.decode(encoded.bytes), in: encoded.bytes, with: mac) == .missing)
    }

    @Test func `a profile says which keys it needs, and what to do`() throws {
        let mac = "security:\n  mac: { algorithm: iso9797-3, key: TAK, on: [sale, reversal] }\n"
        let sealed = try profile(mac)
        let (master, retail) = (try key("TMK", Self.retail), try key("TAK", Self.retail))
        #expect(sealed.keyObstacle(nil) == .noKeys(.sale))
        #expect(sealed.keyObstacle(HostKeys([retail])) == nil)
        #expect(sealed.keyObstacle(HostKeys([master])) == nil)
        #expect(sealed.exchangesKeys(HostKeys([master])) && !sealed.exchangesKeys(HostKeys([retail])))
        #expect(sealed.keyObstacle(HostKeys([try key("ZMK", Self.retail)])) == .missing("TMK", found: ["ZMK"]))
        let long = try key("TAK", Self.retail + "0123456789ABCDEF")
        #expect(sealed.keyObstacle(HostKeys([long])) == .misfit("TAK", .iso9797Algorithm3))
        let derived = try profile(
            "security:\n  mac: { algorithm: cmac, key: BDK, scheme: dukptAES, on: [sale] }\n", basedOn: "iso2003")
        #expect(derived.keyObstacle(HostKeys([])) == .missing("BDK", found: []))
        let base = try key("BDK", "FEDCBA9876543210F1F1F1F1F1F1F1F1", .aes)
        #expect(derived.keyObstacle(HostKeys([base])) == .needsInitialKey("BDK", .dukptAES))
        #expect(derived.keyObstacle(HostKeys([base]), at: .acquirer) == nil)
        let number = try DUKPTKeySerialNumber(hex("1234567890123456 00000000"))
        let initial = try HostKey(
            "BDK", .aes, SensitiveBytes(hex("1273671EA26AC29AFA4D1084127652A1")), keySerialNumber: number)
        #expect(derived.keyObstacle(HostKeys([initial])) == nil)
        #expect(derived.keyObstacle(HostKeys([initial]), at: .acquirer) == .needsBaseKey("BDK"))
        let other = try key("BDK", Self.retail)
        #expect(derived.keyObstacle(HostKeys([other]), at: .acquirer) == .wrongScheme("BDK", .dukptAES))
        let aes = try key("TMK", "2B7E151628AED2A6ABF7158809CF4F3C", .aes)
        #expect(sealed.keyObstacle(HostKeys([aes])) == .masterKey("TMK", .tdesEcbUnderTMK))
        for name in MessageProfile.shippedNames {
            #expect(try #require(MessageProfile.shipped(name)).keyObstacle(nil) == nil)
        }
    }
}

extension MessageAuthenticator {
    struct Sample: Sendable, CustomTestStringConvertible {
        var algorithm: SecurityRules.MACRule.Algorithm
        var padding = 1
        var bytes = 8
        var key = "0123456789ABCDEFFEDCBA9876543210"
        var cipher = HostKey.Cipher.tripleDES

        var testDescription: String { "\(algorithm.rawValue), \(cipher.rawValue), padding \(padding), \(bytes) bytes" }
    }

    static let cases = [
        Sample(algorithm: .iso9797Algorithm1), Sample(algorithm: .iso9797Algorithm1, padding: 2, bytes: 4),
        Sample(algorithm: .iso9797Algorithm3), Sample(algorithm: .iso9797Algorithm3, padding: 2),
        Sample(algorithm: .iso9797Algorithm3, bytes: 4), Sample(algorithm: .cmac),
        Sample(algorithm: .cmac, key: "2B7E151628AED2A6ABF7158809CF4F3C", cipher: .aes),
        Sample(algorithm: .hmacSHA256, cipher: .hmac), Sample(algorithm: .hmacSHA256, bytes: 6, cipher: .hmac),
    ]
}
