import Foundation
import Testing
import Text

@testable import ISO8583

/// Our messages in the eyes of tshark. It reads two bytes of length, characters, and hexadecimal digits, so each
/// message is written again in that dialect. It has no table of 2003.
@Suite(.enabled(if: Judges.tshark != nil))
struct WiresharkTests {
    /// Fields that tshark's tables have in another length or attribute than the editions (docs/acquirer.md).
    private static let different: [MessageVersion: Set<Int>] = [
        .v1987: [36, 53, 65, 86, 87, 88, 89, 92], .v1993: [15, 36, 53, 65, 71],
    ]

    /// Whether tshark takes a value: it has no empty fields, and no blanks in those of letters and digits.
    private static func suits(_ message: ISOMessage, _ field: Int, _ profile: MessageProfile) -> Bool {
        guard let attribute = profile.table[field]?.attribute, message.count(of: field) != 0 else { return false }
        return attribute != .an && attribute != .anp || message.text(of: field)?.contains(" ") != true
    }

    /// Characters with the tables of 1993 behind a length of two bytes.
    private static func profile(_ version: MessageVersion) throws -> MessageProfile {
        guard version == .v1993 else { return Dialects.text }
        return try Dialects.changed(
            "iso93-ebcdic",
            """
            encoding: { mti: ascii, bitmap: hexAscii, lengths: ascii, numeric: ascii, text: ascii, binary: hex,
              hexLengthCounts: bytes }
            """)
    }

    /// What tshark shows of the messages: for each its type and the values of its fields.
    private func read(_ messages: [ISOMessage], _ profile: MessageProfile) throws -> [[String: String]] {
        let codec = profile.makeCodec()
        var writer = CaptureWriter(.pcap)
        for message in messages { writer.send(try #require(profile.frame.frame(try codec.encode(message).bytes))) }
        let file = FileManager.default.temporaryDirectory.appending(path: "messages-\(UUID().uuidString).pcap")
        try Data(writer.bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let fields = ["iso8583.mti"] + (2...128).map { "iso8583.bit\($0)" } + ["_ws.malformed"]
        let options = [
            "-r", file.path, "-d", "tcp.port==8583,iso8583", "-o", "iso8583.len_endian:Big endian", "-o",
            "iso8583.charset:Digits represented as ASCII Characters", "-o",
            "iso8583.binencode:Bin data represented as Hex Ascii characters", "-T", "fields", "-E", "separator=/t",
        ]
        let output = try Judges.run(try #require(Judges.tshark), options + fields.flatMap { ["-e", $0] })
        return String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true).map {
            let values = $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Dictionary(uniqueKeysWithValues: zip(fields, values).filter { !$0.1.isEmpty })
        }
    }

    private func compare(_ all: [ISOMessage], _ version: MessageVersion) throws {
        let (profile, left) = (try Self.profile(version), Self.different[version] ?? [])
        let messages = all.map { message in
            var message = message
            for field in message.fields where left.contains(field) || !Self.suits(message, field, profile) {
                message.remove(field)
            }
            return message
        }
        let shown = try read(messages, profile)
        #expect(shown.count == messages.count)
        for (message, fields) in zip(messages, shown) {
            #expect(fields["_ws.malformed"] == nil)
            #expect(fields["iso8583.mti"] == message.type.description)
            for (field, value) in profile.judgeValues(message, header: []) where Int(field) != nil {
                // tshark cuts blanks at the end, and shows bytes in small digits.
                let found = fields["iso8583.bit\(field)"] ?? ""
                #expect(
                    found.uppercased().trimming() == value.uppercased().trimming(), "field \(field) of \(message)")
            }
        }
    }

    @Test(arguments: [MessageVersion.v1987, .v1993])
    func `tshark reads our messages`(version: MessageVersion) throws {
        let known = try Vector.all.filter { $0.profile.version == version }.map { try $0.message }
        let source = ArbitraryMessages(try Self.profile(version), seed: 16)
        try compare(known + (0..<150).map { _ in source.message() }, version)
    }
}

extension String {
    fileprivate func trimming() -> String { trimmingCharacters(in: .whitespaces) }
}
