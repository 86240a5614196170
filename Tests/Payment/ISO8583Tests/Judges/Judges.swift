import Foundation
import Testing
import Text

@testable import ISO8583

/// Programs of others that read and write the same messages. `Scripts/test` installs pyiso8583 and psec, and names
/// their interpreter in `CARDPRESENT_ISO8583`; tshark is a Debian package.
enum Judges {
    static let python = ProcessInfo.processInfo.environment["CARDPRESENT_ISO8583"]
    static let tshark = ["/usr/bin/tshark"].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A question to `Scripts/python/iso8583_peer.py`.
    struct Question: Encodable {
        var decode: String?
        var encode: [String: String]?
        var spec: [String: Format]?
        var mac: String?
        var padding: Int?
        var pin: String?
        var block: String?
        var pan: String?
        var format: Int?
        var key: String?
    }

    struct Answer: Decodable {
        var fields: [String: String]?
        var bytes: String?
        var mac: String?
        var block: String?
        var pin: String?
    }

    /// The format of a field as pyiso8583 takes it.
    struct Format: Encodable {
        var dataEncoding = "ascii"
        var lengthEncoding = "ascii"
        var lengthBytes = 0
        var maximum = 0
        var counts: String?
        var leftPad: String?
        var rightPad: String?

        enum CodingKeys: String, CodingKey {
            case dataEncoding = "data_enc"
            case lengthEncoding = "len_enc"
            case lengthBytes = "len_type"
            case maximum = "max_len"
            case counts = "len_count"
            case leftPad = "left_pad"
            case rightPad = "right_pad"
        }
    }

    static func ask(_ questions: [Question]) throws -> [Answer] {
        let python = try #require(python)
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let script = root.appending(path: "Scripts/python/iso8583_peer.py").path
        let data = try run(python, ["-W", "ignore", script], input: try JSONEncoder().encode(questions))
        return try JSONDecoder().decode([Answer].self, from: data)
    }

    static func run(_ program: String, _ arguments: [String], input: Data = Data()) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let file = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data
    }
}

extension MessageProfile {
    /// The formats of the dialect as pyiso8583 takes them.
    var judgeFormats: [String: Judges.Format] {
        var formats: [String: Judges.Format] = [:]
        formats["h"] = .init(dataEncoding: "b", maximum: header.count)
        formats["t"] =
            encoding.messageType == .bcd
            ? .init(dataEncoding: "b", maximum: 2)
            : .init(dataEncoding: encoding.messageType == .ascii ? "ascii" : "cp500", maximum: 4)
        let bitmap: Judges.Format =
            switch encoding.bitmap {
            case .binary: .init(dataEncoding: "b", maximum: 8)
            case .hexAscii: .init(maximum: 16)
            case .hexEbcdic: .init(dataEncoding: "cp500", maximum: 16)
            }
        (formats["p"], formats["1"]) = (bitmap, bitmap)
        for format in table.all { formats[String(format.number)] = judgeFormat(format) }
        return formats
    }

    private func judgeFormat(_ format: FieldFormat) -> Judges.Format {
        var result = Judges.Format()
        let text = encoding.text == .ascii ? "latin-1" : "cp500"
        result.dataEncoding = text
        result.maximum = format.length.maximum
        if case .variable(let digits, _, _) = format.length {
            result.lengthBytes = FieldRule.lengthBytes(digits: digits, encoding.lengths)
            result.lengthEncoding =
                switch encoding.lengths {
                case .ascii: "ascii"
                case .ebcdic: "cp500"
                case .bcd: "bcd"
                case .binary: "b"
                }
        }
        let isPacked = encoding.numeric == .bcd
        switch format.attribute {
        case .b where encoding.binary == .raw: result.dataEncoding = "b"
        case .b: result.maximum *= 2
        case .signed where isPacked:
            (result.dataEncoding, result.maximum) = ("b", 1 + format.length.maximum / 2)
        case .signed: result.maximum += 1
        case .n where isPacked, .z where isPacked:
            (result.dataEncoding, result.counts) = ("b", "nibbles")
            let odd =
                format.attribute == .z
                ? encoding.oddTrack : result.lengthBytes > 0 ? encoding.oddVariable : encoding.oddNumeric
            let digit = String(odd.digit, radix: 16, uppercase: true)
            if odd.side == .left { result.leftPad = digit } else { result.rightPad = digit }
        default: break
        }
        return result
    }

    /// The values of a message as pyiso8583 has them: bytes and packed digits in hexadecimal digits.
    func judgeValues(_ message: ISOMessage, header: [UInt8]) -> [String: String] {
        var values = ["t": message.type.description]
        if !header.isEmpty { values["h"] = header.hexadecimal }
        for field in message.fields {
            values[String(field)] = message.withBytes(of: field) { bytes in
                let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                return switch table[field]?.attribute {
                case .b: bytes.hexadecimal
                case .z where encoding.numeric == .bcd: text.replacing("=", with: "D")
                case .signed where encoding.numeric == .bcd: "\(bytes.prefix(1).hexadecimal)\(text.dropFirst())"
                default: text
                }
            }
        }
        return values
    }
}
