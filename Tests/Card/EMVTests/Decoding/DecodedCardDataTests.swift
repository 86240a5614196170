import CardSecrets
import Determinism
import Foundation
import SmartCard
import Testing

@testable import EMV

@Suite("Card data in decoded values")
struct DecodedCardDataTests {
    private static let numbers = [
        "4761739001010010", "5413330089020011", "374245001751006", "6212345678900000003", "4222222222222",
        "36070500001020", "6799998900000200010",
    ]

    /// The complete output of a decoding, in both formats.
    private func said(_ input: [UInt8], as subject: DecodingSubject? = nil) throws -> String {
        guard let decoding = EMVDecoder.decode(input, as: subject) else { return "" }
        let json = String(decoding: try JSONEncoder().encode(decoding.values), as: UTF8.self)
        return decoding.text + json + (decoding.problem?.description ?? "")
    }

    private func expectNothing(
        of number: String, in text: String, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!text.contains(number), "\(comment)", sourceLocation: sourceLocation)
        #expect(
            !text.contains(number.utf8.map { "3\($0 - 0x30)" }.joined()), "\(comment)", sourceLocation: sourceLocation)
        // What is between the first six and the last four digits.
        let middle = String(number.dropFirst(6).dropLast(4))
        if middle.utf8.count >= 5, Set(middle).count > 1 {
            #expect(!text.contains(middle), "\(comment)", sourceLocation: sourceLocation)
        }
    }

    private func compressed(_ digits: String) -> [UInt8] {
        bytes(digits + (digits.count.isMultiple(of: 2) ? "" : "F"))
    }

    @Test(arguments: numbers)
    func `an account number is never shown, in any field`(number: String) throws {
        let plain = compressed(number)
        let track = compressed(number + "D2512201123456789")
        let ascii = Array(number.utf8)
        let trackOne = Array("B\(number)^HOLDER/TEST^2512201123456".utf8)
        let values: [(BERTag, [UInt8])] = [
            (0x5A, plain), (0x57, track), (0x9F6B, track), (0x56, trackOne), (0x5F20, ascii), (0x9F0B, ascii + ascii),
            (0x9F1F, ascii), (0x9F20, plain), (0x99, plain), (0x5F53, ascii), (0x50, ascii), (0x9F12, ascii),
            (0x9F05, plain), (0x9F7C, ascii), (0xDF01, plain), (0xDF8129, plain), (0xC1, ascii), (0x9F02, plain),
            (0x82, plain), (0x9F10, plain), (0x9F6E, plain), (0xDF812A, ascii), (0xDF812B, plain), (0x9F2D, plain),
            (0x9F46, plain), (0x86, bytes("04DC010C") + [UInt8(plain.count)] + plain), (0x83, plain), (0x80, plain),
            (0x5F50, ascii), (0x91, plain), (0x5A, [0x40] + plain), (0x57, plain),
        ]
        for (tag, value) in values {
            let object = BERTLV.encode(tag, value)
            expectNothing(of: number, in: try said(object), "\(tag)")
            expectNothing(of: number, in: try said(value, as: .value(of: tag)), "value of \(tag)")
            let record = BERTLV.encode(0x70, object)
            expectNothing(of: number, in: try said(record), "\(tag) in a record")
            expectNothing(of: number, in: try said(record + [0x90, 0x00]), "\(tag) in an answer")
            for count in 1..<record.count {
                expectNothing(of: number, in: try said(Array(record.prefix(count))), "\(tag) cut at \(count)")
            }
        }
        // Shifted by half a byte.
        expectNothing(of: number, in: try said(BERTLV.encode(0xDF02, compressed("A" + number))))
    }

    @Test func `random account numbers and track data are never shown`() throws {
        let chance = SeededRandomSource(seed: 11)
        for _ in 0..<200 {
            let body = "4" + chance.bytes(14).map { String($0 % 10) }.joined()
            let check = (0...9).map(String.init).first { digit in
                CheckDigit.isValid((body + digit).utf8.map { $0 - 0x30 })
            }
            let number = body + (check ?? "")
            let discretionary = chance.bytes(7).map { String($0 % 10) }.joined()
            let record = tlv(
                0x70, tlv(0x57, number + "D3012201" + discretionary), tlv(0x5A, number), tlv(0xDF10, number))
            let text = try said(record)
            expectNothing(of: number, in: text)
            #expect(!text.contains(discretionary))
            #expect(text.contains(number.prefix(6) + "******" + number.suffix(4)))
        }
    }

    @Test func `a PIN is never shown`() throws {
        let commands = ["0020008008 249876FFFFFFFFFF", "0020008808 9876987698769876", "8424000008 9876987698769876"]
        for command in commands {
            #expect(try !said(bytes(command)).contains("9876"))
            #expect(try !said(bytes(command + "9000")).contains("9876"))
        }
        #expect(try !said(tlv(0x99, "249876FFFFFFFFFF")).contains("9876"))
    }

    @Test func `a name shows its initials, a bank account its country and end`() throws {
        #expect(try said(BERTLV.encode(0x5F20, Array("DOE/JANE A.MS".utf8))).contains("D**/J*** A.M*"))
        let text = try said(BERTLV.encode(0x5F53, Array("DE89370400440532013000".utf8)))
        #expect(text.contains("DE****************3000"))
        #expect(!text.contains("8937"))
    }

    @Test(arguments: [
        ("12345678", "****5678"), ("1234567", "*******"), ("12345678901234", "**********1234"),
        ("374245001751006", "374245*****1006"), ("4761739001010010", "476173******0010"), ("", ""),
    ])
    func `short numbers show less`(number: String, shown: String) {
        #expect(CardDataMask.number(number.utf8.map { $0 - 0x30 }) == shown)
    }

    @Test func `data that cannot be an account number is shown`() throws {
        for text in [
            "DF0108 0000000000000000", "DF0108 A1B2C3D4E5F60718", "DF0112 0110A00003240000000000000000000000FF",
            "DF0104 47617390",
        ] {
            #expect(try said(bytes("8202 5C00" + text)).contains(text.suffix(8)), "\(text)")
        }
    }
}
