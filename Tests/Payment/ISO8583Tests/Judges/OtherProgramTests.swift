import CardSecrets
import Cryptography
import Determinism
import Foundation
import Testing
import Text

@testable import ISO8583

/// Our messages beside those of pyiso8583, and our MACs and PIN blocks beside those of psec.
@Suite(.enabled(if: Judges.python != nil))
struct OtherProgramTests {
    /// The messages of a profile: all that this project has, and random ones with any field.
    private func messages(_ profile: MessageProfile) throws -> [ISOMessage] {
        let source = ArbitraryMessages(profile, seed: 16)
        let known = try Vector.all.filter { $0.profile.name == profile.name }.map { try $0.message }
        return known + (try settlement(profile).map { [$0] } ?? []) + (0..<100).map { _ in source.message() }
    }

    /// A settlement with totals in the mandatory fields; nil for a profile without one.
    private func settlement(_ profile: MessageProfile) throws -> ISOMessage? {
        guard let form = profile.messages[.settlement] else { return nil }
        var message = ISOMessage(form.type)
        func digits(_ number: Int, _ field: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: (profile.table[field]?.length.maximum ?? 0) - digits.count) + digits
        }
        for field in form.mandatory { message.set(field, digits(field, field)) }
        message.set(41, "TERM0001" + String(repeating: " ", count: profile.version == .v2003 ? 8 : 0))
        message.set(42, "MERCHANT0000001")
        let net = NetAmount(SignedAmount(.credit, 4711), currency: "978", exponent: 2)
        message.set(97, try #require(net.text(profile.version)))
        if profile.version == .v2003 {
            let data = ReconciliationData(
                credits: .init(number: 2, amount: 9422), debits: .init(number: 3, amount: 4711))
            message.set(74, bytes: try #require(data.bytes))
        } else {
            message.set(50, "978")
        }
        return message
    }

    @Test(arguments: PropertyTests.profiles.map(\.name))
    func `pyiso8583 reads our messages`(name: String) throws {
        let profile = try #require(PropertyTests.profiles.first { $0.name == name })
        let (codec, formats) = (profile.makeCodec(), profile.judgeFormats)
        let messages = try messages(profile)
        let answers = try Judges.ask(
            messages.map { .init(decode: try codec.encode($0).bytes.hexadecimal, spec: formats) })
        for (message, answer) in zip(messages, answers) {
            var fields = try #require(answer.fields)
            for key in ["p", "1"] { fields[key] = nil }
            if fields["h"] == "" { fields["h"] = nil }
            #expect(fields == profile.judgeValues(message, header: profile.header.bytes))
        }
    }

    @Test(arguments: PropertyTests.profiles.map(\.name))
    func `we read messages of pyiso8583`(name: String) throws {
        let profile = try #require(PropertyTests.profiles.first { $0.name == name })
        let (codec, formats) = (profile.makeCodec(), profile.judgeFormats)
        let messages = try messages(profile)
        let answers = try Judges.ask(
            messages.map {
                .init(encode: profile.judgeValues($0, header: profile.header.bytes), spec: formats)
            })
        for (message, answer) in zip(messages, answers) {
            let bytes = hex(try #require(answer.bytes))
            #expect(try codec.decode(bytes).message == message)
            #expect(bytes == (try codec.encode(message).bytes))
        }
    }

    @Test func `psec computes the same retail MACs`() throws {
        let random = SeededRandomSource(seed: 64)
        let questions = (0..<40).map { count in
            Judges.Question(
                mac: random.bytes(count * 3 + 1).hexadecimal, padding: count % 2 + 1,
                key: random.bytes(16).hexadecimal)
        }
        for (question, answer) in zip(questions, try Judges.ask(questions)) {
            let mac = try RetailMAC.mac(
                hex(question.mac ?? ""), key: SensitiveBytes(hex(question.key ?? "")),
                padding: question.padding == 1 ? .zeros : .markerAndZeros)
            #expect(mac.hexadecimal == answer.mac)
        }
    }

    private static let random = SeededRandomSource(seed: 52)

    private static func digits(_ count: Int) -> String { random.bytes(count).map { String($0 % 10) }.joined() }

    @Test(arguments: [0, 4])
    func `psec makes and opens the same PIN blocks`(format: Int) throws {
        var (made, opened): ([Judges.Question], [Judges.Question]) = ([], [])
        for index in 0..<30 {
            let pin = Self.digits(4 + index % 9)
            let (pan, key) = ("4" + Self.digits([12, 15, 18][index % 3]), Self.random.bytes(16))
            made.append(.init(pin: pin, pan: pan, format: format, key: key.hexadecimal))
            let block = try self.block(pin, pan, format, key)
            opened.append(.init(block: block.hexadecimal, pan: pan, format: format, key: key.hexadecimal))
        }
        for (question, answer) in zip(made, try Judges.ask(made)) {
            let pin = try self.pin(hex(answer.block ?? ""), question.pan ?? "", format, hex(question.key ?? ""))
            #expect(pin == question.pin)
        }
        #expect(try Judges.ask(opened).map(\.pin) == made.map(\.pin))
    }

    private func block(_ pin: String, _ pan: String, _ format: Int, _ key: [UInt8]) throws -> [UInt8] {
        let number = try PrimaryAccountNumber(digits: Array(pan.utf8))
        let digits = SensitiveBytes(pin.utf8.map { $0 & 0xF })
        if format == 4 {
            return try EncipheredFormatFourPINBlock.encipher(
                pin: digits, pan: number, random: Self.random.bytes(8), key: SensitiveBytes(key))
        }
        return try PINBlock.formatZero(pin: digits, pan: number).withUnsafeBytes {
            try TripleDES.encrypt(Array($0), key: SensitiveBytes(key))
        }
    }

    private func pin(_ block: [UInt8], _ pan: String, _ format: Int, _ key: [UInt8]) throws -> String {
        let number = try PrimaryAccountNumber(digits: Array(pan.utf8))
        let digits: SensitiveBytes
        if format == 4 {
            digits = try EncipheredFormatFourPINBlock.pin(block, pan: number, key: SensitiveBytes(key))
        } else {
            let clear = SensitiveBytes(try TripleDES.decrypt(block, key: SensitiveBytes(key)))
            digits = try PINBlock.pin(formatZero: clear, pan: number)
        }
        return digits.withUnsafeBytes { $0.map { String($0) }.joined() }
    }
}
