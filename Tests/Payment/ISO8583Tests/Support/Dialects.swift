import Foundation
import Testing
import Text

@testable import ISO8583

/// The dialects of the tests: the shipped profiles, and two that tests alone use.
enum Dialects {
    /// Everything in characters.
    static let text = shipped("iso87-ascii")
    /// Packed digits behind a TPDU.
    static let packed = shipped("iso87-bcd-tpdu")
    static let shippedProfiles = MessageProfile.shippedNames.map(shipped)

    /// EBCDIC, fields of 1987.
    static let ebcdic = made(
        """
        profile: ebcdic-87
        basedOn: iso87-ascii
        encoding: { mti: ebcdic, bitmap: binary, lengths: ebcdic, numeric: ebcdic, text: ebcdic500, binary: raw }
        """)

    /// Characters, fields of 1993, behind four digits.
    static let text93 = made(
        """
        profile: ascii-93
        basedOn: iso93-ebcdic
        framing: { length: { form: ascii, bytes: 4 } }
        encoding: { mti: ascii, bitmap: hexAscii, lengths: ascii, numeric: ascii, text: ascii, binary: hex }
        """)

    private static func shipped(_ name: String) -> MessageProfile {
        guard let profile = MessageProfile.shipped(name) else { fatalError("the shipped profile \(name) is wrong") }
        return profile
    }

    private static func made(_ text: String) -> MessageProfile {
        do { return try MessageProfile(text: text, file: "test.yaml") } catch { fatalError("\(error)") }
    }

    /// Returns a profile based on a shipped one, with other keys.
    static func changed(_ base: String, _ keys: String) throws -> MessageProfile {
        try MessageProfile(text: "profile: test\nbasedOn: \(base)\n\(keys)\n", file: "test.yaml")
    }
}

/// A message that another program made (`Vectors/messages.txt`).
struct Vector: Sendable, CustomTestStringConvertible {
    let number: Int
    let name: String
    let profile: MessageProfile
    /// The whole frame.
    let frame: [UInt8]
    /// The values of the fields, those of bytes in hexadecimal digits.
    let fields: [(number: Int, value: String)]

    var testDescription: String { "\(number). \(name)" }

    /// Header and message.
    var body: [UInt8] { Array(frame.dropFirst(profile.frame.lengthBytes)) }

    var type: MessageType {
        get throws { try #require(MessageType(String(name.prefix(4)))) }
    }

    var message: ISOMessage {
        get throws {
            var message = ISOMessage(try type)
            for (field, value) in fields { message.set(field, bytes: try bytes(value, field)) }
            return message
        }
    }

    private func bytes(_ value: String, _ field: Int) throws -> [UInt8] {
        let attribute = try #require(profile.table[field]).attribute
        // The other program sees a packed amount with a sign as bytes.
        if attribute == .signed, value.hasPrefix("44") { return Array("D\(value.dropFirst(2))".utf8) }
        if attribute == .b { return hex(value) }
        return Array((attribute == .z ? value.replacing("D", with: "=") : value).utf8)
    }

    static let all: [Vector] = {
        let url = URL(filePath: #filePath).appending(path: "../../Vectors/messages.txt").standardized
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { fatalError("no vectors") }
        return text.components(separatedBy: "\n\n").dropFirst().map { entry in
            let lines = entry.split(separator: "\n").map(String.init)
            let words = lines[0].split(separator: " ", maxSplits: 2).map(String.init)
            return Vector(
                number: Int(words[0]) ?? 0, name: words[2], profile: profile(words[1]), frame: hex(lines[1]),
                fields: lines[2].components(separatedBy: " · ").map { field in
                    let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
                    return (Int(parts[0]) ?? 0, parts[1])
                })
        }
    }()

    static func numbered(_ number: Int) -> Vector { all[number - 1] }

    private static func profile(_ letter: String) -> MessageProfile {
        switch letter {
        case "H": Dialects.text
        case "N": Dialects.packed
        case "E": Dialects.ebcdic
        default: Dialects.text93
        }
    }
}

/// The bytes of hexadecimal digits, which can have blanks between them.
func hex(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text.filter { !$0.isWhitespace }) ?? [] }
