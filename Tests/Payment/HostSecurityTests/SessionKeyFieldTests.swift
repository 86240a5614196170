import CardSecrets
import Cryptography
import Determinism
import ISO8583
import Testing

@testable import HostSecurity

@Suite("Exchanged keys")
struct SessionKeyFieldTests {
    private static let master = "0123456789ABCDEFFEDCBA9876543210"
    private static let other = "C1D0F8FB4958670DBA40AB1F3752EF0D"
    private static let pin = "security: { pin: { format: 0, scheme: masterSession, key: TPK } }\n"
    private static let both = """
        security:
          pin: { format: 0, scheme: masterSession, key: TPK }
          mac: { algorithm: iso9797-3, key: TAK, on: [sale] }

        """

    private func answer(_ profile: MessageProfile, _ value: [UInt8]) throws -> ISOMessage {
        let form = try #require(profile.messages[.keyExchange])
        var message = ISOMessage(form.answer)
        message.set(try #require(form.keyExchange).field, bytes: value)
        return message
    }

    private func error(_ field: SessionKeyField, _ message: ISOMessage) async -> String {
        do throws(SessionKeyError) { _ = try await field.read(message) } catch { return "\(error)" }
        return "none"
    }

    // Message 6 of Tests/Payment/ISO8583Tests/Vectors, made with pyiso8583; the check value is that of psec
    @Test func `the key of another program's answer is read, and its check value compared`() async throws {
        let profile = try profile(Self.pin)
        let field = try #require(SessionKeyField(profile, HostKeys([try key("TMK", Self.master)])))
        let text = "07C318F516459E1B08220095FF99CAF529220C"
        let keys = try await field.read(try answer(profile, Array(text.utf8)))
        #expect(keys.map(\.name) == ["TPK"] && keys[0].cipher == .tripleDES)
        #expect(keys[0].bytes.revealed == hex("A1A2A4A7A8ABADAEB0B3B5B6B9BABCBF"))
        #expect(
            await error(field, try answer(profile, Array(text.dropLast().utf8) + [0x44]))
                == "the new key 'TPK': the key has another check value")
        #expect(await error(field, try answer(profile, Array(text.dropLast(2).utf8))).contains("the new key 'TPK'"))
        #expect(
            await error(field, try answer(profile, Array("SORRY".utf8))) == "field 48 has no keys in hexadecimal digits"
        )
        #expect(
            await error(field, try answer(profile, [0x30, 0x30]))
                == "field 48 has 1 bytes, which are not the keys of the profile")
        #expect(
            await error(field, ISOMessage(try #require(MessageType("0810")))) == "field 48 with the new keys is missing"
        )
        let other = try #require(SessionKeyField(profile, HostKeys([try key("TMK", Self.other)])))
        #expect(await error(other, try answer(profile, Array(text.utf8))).contains("another check value"))
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic"])
    func `what one end makes the other reads, as text or as bytes`(base: String) async throws {
        let profile = try profile(Self.both, basedOn: base)
        let keys = HostKeys([try key("TMK", Self.master)])
        let field = try #require(SessionKeyField(profile, keys))
        let made = try await field.make(SeededRandomSource(seed: 5))
        #expect(made.value.count == (base == "iso93-ebcdic" ? 38 : 76))
        let read = try await field.read(try answer(profile, made.value))
        #expect(read.map(\.name) == ["TPK", "TAK"])
        for (one, other) in zip(made.keys, read) { #expect(one.bytes.revealed == other.bytes.revealed) }
        #expect(read[0].bytes.revealed != read[1].bytes.revealed)
    }

    @Test func `keys under an AES master key are for AES, HMAC, and format 4`() async throws {
        let profile = try profile(
            """
            fields: { 52: { length: 16 } }
            messages: { keyExchange: { mti: "0800", keyForm: aesEcbUnderTMK } }
            security:
              masterKey: KEK
              pin: { format: 4, scheme: masterSession, key: TPK }
              mac: { algorithm: hmac-sha256, key: TAK, on: [sale] }
            """)
        #expect(profile.sessionKeys.map(\.cipher) == [.aes, .hmac])
        let master = try key("KEK", "2B7E151628AED2A6ABF7158809CF4F3C", .aes)
        let field = try #require(SessionKeyField(profile, HostKeys([master])))
        let made = try await field.make(SeededRandomSource(seed: 5))
        let read = try await field.read(try answer(profile, made.value))
        for (one, other) in zip(made.keys, read) { #expect(one.bytes.revealed == other.bytes.revealed) }
        #expect(made.value.count == 76)
    }

    @Test func `a PIN block comes back only with the key and the card number`() async throws {
        let number = try PrimaryAccountNumber(digits: Array("4761739001010010".utf8))
        let other = try PrimaryAccountNumber(digits: Array("4761739001010028".utf8))
        let pin = SensitiveBytes([1, 2, 3, 4])
        let zero = try #require(SessionPINBlock(format: 0))
        let first = try key("TPK", Self.master)
        let block = try await zero.encipher(pin, pan: number, key: first, random: [])
        // As psec has it (reference messages, number 9).
        #expect(block == hex("621F91F5470F2CFE"))
        let opened = try await zero.open(block, pan: number, key: first)
        #expect(opened.revealed == [1, 2, 3, 4])
        await #expect(throws: (any Error).self) {
            _ = try await zero.open(block, pan: number, key: try key("TPK", Self.other))
        }
        await #expect(throws: (any Error).self) {
            _ = try await zero.open(Array(block.dropLast()), pan: number, key: first)
        }
        let four = try #require(SessionPINBlock(format: 4))
        let aes = try key("TPK", "2B7E151628AED2A6ABF7158809CF4F3C", .aes)
        let wide = try await four.encipher(pin, pan: number, key: aes, random: [UInt8](repeating: 9, count: 8))
        #expect(wide.count == 16)
        let openedToo = try await four.open(wide, pan: number, key: aes)
        #expect(openedToo.revealed == [1, 2, 3, 4])
        await #expect(throws: (any Error).self) { _ = try await four.open(wide, pan: other, key: aes) }
        #expect(SessionPINBlock(format: 3) == nil)
    }
}
