import ArgumentParser
import CardSecrets
import ISO8583
import Text

/// `host encode`
struct EncodeMessage: SynchronousCardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode", abstract: "Encode a message into bytes.",
        discussion: """
            EXAMPLES:
              cardpresent host encode 0800 7=1123011600 11=2 70=301 --profile iso87-ascii
              cardpresent host encode --file sale.txt --profile my-host.yaml
              printf '0200\\n2=4111111111111111\\n3=0\\n4=1250\\n' | cardpresent host encode --file - --profile iso87-ascii

            Prints the whole frame in hexadecimal digits. Fields of a fixed length are filled: digits with zeros on the \
            left, text with blanks on the right. Write fields of bytes in hexadecimal digits.

            Fields with card data (2, 34, 35, 36, 45, 52, and 55) are \
            refused on the command line, which other users of the machine can see: put the message into a file, or \
            send it to standard input, with the type and each field on a line of its own, or as JSON: \
            { "type": "0800", "fields": { "70": "301" } }. Use test cards only: the frame has the card data in clear.
            """)

    @Argument(help: ArgumentHelp("Message type and fields, such as 0800 70=301.", valueName: "field"))
    var fields: [String] = []
    @Option(
        help: ArgumentHelp("File with the message type and the fields, or '-' for standard input.", valueName: "file"),
        completion: .file())
    var file: String?
    @Flag(help: "Print header and message without the frame.")
    var bare = false
    @OptionGroup var profile: ProfileOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (file == nil) != fields.isEmpty else {
            throw ValidationError("give either a message type with fields, or --file")
        }
    }

    func execute() throws {
        let profile = try profile.load()
        let isTyped = file == nil
        var lines: [[UInt8]]
        if let file {
            lines = try Self.lines(of: try InputFile.read(file, atMost: 65_536))
        } else {
            lines = fields.map { Array($0.utf8) }
        }
        defer { for place in lines.indices { lines[place].wipe() } }
        let message = try MessageLines.message(lines, profile, isTyped: isTyped)
        var bytes: [UInt8]
        do throws(MessageError) { bytes = try profile.makeCodec().encode(message).bytes } catch {
            throw CommandFailure(.badData, code: "malformed_message", message: "\(error)")
        }
        defer { bytes.wipe() }
        guard var frame = bare ? bytes : profile.frame.frame(bytes) else {
            throw CommandFailure(
                .badData, code: "message_too_long",
                message: "the message has \(bytes.count) bytes, and a frame at most \(profile.frame.longestBody)")
        }
        defer { frame.wipe() }
        let json: JSONObject = ["profile": profile.name, "bytes": frame.hexadecimal, "length": frame.count]
        try output.write(json, text: frame.hexadecimal + "\n")
    }

    private static func lines(of content: [UInt8]) throws(CommandFailure) -> [[UInt8]] {
        guard MessageObject.isObject(content) else {
            return content.split { $0 == 0x0A || $0 == 0x0D }.map(Array.init).filter { $0.first != UInt8(ascii: "#") }
        }
        do throws(MessageObject.Malformed) { return try MessageObject.lines(of: content) } catch {
            throw CommandFailure(
                .badData, code: "malformed_json", message: "the JSON is no message: see byte \(error.offset + 1)",
                fix: #"write it as { "type": "0800", "fields": { "70": "301" } }"#)
        }
    }
}

/// A message as lines: its type, then a number, `=`, and a value for each field. Works on bytes, because a value may be
/// card data.
private enum MessageLines {
    static func message(
        _ lines: [[UInt8]], _ profile: MessageProfile, isTyped: Bool
    ) throws(CommandFailure) -> ISOMessage {
        guard let first = lines.first, let type = MessageType(String(decoding: first.prefix(5), as: UTF8.self)) else {
            throw failure("the first word is no message type", "give four digits, such as 0800")
        }
        guard type.version == profile.version.digit else {
            throw failure(
                "\(type) is not a message type of \(profile.version.rawValue)",
                "the profile '\(profile.name)' has types that begin with \(profile.version.digit)")
        }
        var message = ISOMessage(type)
        for (place, line) in lines.dropFirst().enumerated() {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
                let field = Int(String(decoding: line[..<equals].prefix(4), as: UTF8.self))
            else {
                throw failure("word \(place + 2) is no field", "write a number, =, and a value, such as 70=301")
            }
            guard let format = profile.table[field] else {
                throw failure(
                    "the profile '\(profile.name)' has no field \(field)",
                    "see 'cardpresent host profiles show \(profile.name)'")
            }
            guard !isTyped || !format.isSecret else {
                throw failure(
                    "field \(field) has card data, which other users can see on the command line",
                    "write the type and each field on a line of its own, and give the lines with --file")
            }
            guard !message.fields.contains(field) else { throw failure("field \(field) is given twice", nil) }
            var value = try self.value(Array(line[line.index(after: equals)...]), format)
            message.set(field, bytes: value)
            value.wipe()
        }
        return message
    }

    private static func failure(_ message: String, _ fix: String?) -> CommandFailure {
        CommandFailure(.usage, code: "malformed_field", message: message, fix: fix)
    }

    private static func value(_ text: [UInt8], _ format: FieldFormat) throws(CommandFailure) -> [UInt8] {
        guard format.attribute != .b else {
            guard let bytes = [UInt8](hexadecimalDigits: text) else {
                throw failure("field \(format.number) is not hexadecimal", "give two digits for each byte")
            }
            return bytes
        }
        // The shell's characters are UTF-8, and a field's are ISO 8859-1.
        let value = String(decoding: text, as: UTF8.self).unicodeScalars.map { UInt8(exactly: $0.value) ?? 0x1A }
        guard case .fixed(let length) = format.length, value.count < length, !format.isSecret else { return value }
        let rest = length - value.count
        return switch format.attribute {
        case .n: [UInt8](repeating: 0x30, count: rest) + value
        case .signed, .z: value
        default: value + [UInt8](repeating: 0x20, count: rest)
        }
    }
}
