import ArgumentParser
import CardSecrets
import Glibc
import ISO8583
import Text

/// `host decode`
struct DecodeMessages: SynchronousCardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode messages into readable text.",
        discussion: """
            EXAMPLES:
              cardpresent host decode 003730383030… --profile iso87-ascii
              cardpresent host decode 0800822000000000000004000000000000001123011600000002301 --profile iso87-ascii
              cardpresent host decode traffic.pcap --profile iso87-bcd-tpdu
              cardpresent host decode - --profile my-host.yaml --json < messages.hex

            Takes whole frames or a single message without its frame: as hexadecimal digits, or, for a profile that \
            has everything in characters, as these characters. A file has digits, bytes, or a recording (pcap, \
            pcapng), of which the TCP streams with messages are shown.

            Card data is masked: of a card number the last four digits are shown, and nothing of tracks, PIN, and \
            expiration date. Fields that look wrong are listed as doubtful: often the profile is another host's. If a \
            message is cut or invalid, the error names field, offset, and rule, and the exit code is 65.
            """)

    @Argument(
        help: ArgumentHelp("Hexadecimal digits, a file, or '-' for standard input.", valueName: "data"),
        completion: .file())
    var data: [String]
    @OptionGroup var profile: ProfileOption
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let profile = try profile.load()
        let result = try MessageInput.read(data, profile)
        let failure = Self.failure(result)
        let shown = result.messages.map { ShownMessage($0, profile, isOne: result.messages.count == 1) }
        let object: JSONObject = [
            "profile": profile.name, "messages": shown.map(\.json), "otherStreams": result.otherStreams,
            "error": failure?.json,
        ]
        try output.write(object, text: shown.map(\.text).joined(separator: "\n"))
        try Outcome.end(failure)
    }

    /// Why not everything could be decoded; nil when it could.
    private static func failure(_ result: MessageFinder) -> CommandFailure? {
        guard !result.isComplete else { return nil }
        var reasons = result.messages.compactMap { found -> String? in
            guard case .failure(let error) = found.content else { return nil }
            return (result.messages.count > 1 ? "at \(found.offset): " : "") + "\(error)"
        }
        reasons += result.problems
        guard let first = reasons.first else {
            return CommandFailure(
                .badData, code: "no_message", message: "no message of this profile is in the data",
                fix: "choose another profile: see 'cardpresent host profiles list'")
        }
        let more = reasons.count > 1 ? " (and \(reasons.count - 1) more)" : ""
        return CommandFailure(
            .badData, code: "malformed_message", message: first + more,
            fix: "if the messages are another host's, give its profile; a frame must be whole")
    }
}

/// A message on the screen.
private struct ShownMessage {
    let json: JSONObject
    let text: String

    init(_ found: MessageFinder.Found, _ profile: MessageProfile, isOne: Bool) {
        let place = (found.source.map { "\($0), " } ?? "") + "offset \(found.offset)"
        switch found.content {
        case .success(let decoded):
            let dump = MessageDump(decoded, profile)
            text = (isOne && found.source == nil ? "" : "\(place)\n") + dump.text
            json = ["source": found.source, "offset": found.offset, "message": DumpJSON(value: dump.json)]
        case .failure(let error):
            text = (isOne && found.source == nil ? "" : "\(place)\n\(error)\n")
            json = ["source": found.source, "offset": found.offset, "problem": "\(error)"]
        }
    }
}

/// A dump as JSON.
private struct DumpJSON: Encodable, Sendable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .number(let digits): try container.encode(Int(digits))
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values.map(DumpJSON.init))
        case .object(let members):
            let values = members.map { (name: $0.name, value: DumpJSON(value: $0.value)) }
            try container.encode(JSONObject(members: values))
        }
    }
}

/// Messages from the command line, a file, or standard input.
enum MessageInput {
    /// The most bytes of a file.
    private static let limit = 32 << 20
    /// What may be between hexadecimal digits.
    private static let separators = " \t\r\n:-"

    /// - Throws: `CommandFailure`
    static func read(_ words: [String], _ profile: MessageProfile) throws(CommandFailure) -> MessageFinder {
        guard words != ["-"] else { return try find(inContent: try InputFile.read("-", atMost: limit), profile) }
        if words.count == 1, let name = words.first, digits(Array(name.utf8)) == nil, access(name, F_OK) == 0 {
            return try find(inContent: try InputFile.read(name, atMost: limit), profile)
        }
        return try find(inText: Array(words.joined(separator: " ").utf8), profile)
    }

    private static func find(
        inContent content: [UInt8], _ profile: MessageProfile
    ) throws(CommandFailure) -> MessageFinder {
        let isText = content.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        guard isText else { return try find(in: content, profile) }
        var text = content
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return try find(inText: text, profile)
    }

    /// Digits are bytes; if these are no messages, the characters themselves may be one.
    private static func find(inText text: [UInt8], _ profile: MessageProfile) throws(CommandFailure) -> MessageFinder {
        let decoded = digits(text)
        let strange = decoded == nil ? strangeCharacter(text, profile) : nil
        guard decoded != nil || profile.isText && strange == nil else {
            throw CommandFailure(
                .badData, code: "not_hexadecimal",
                message: "the data is neither a file nor hexadecimal"
                    + (strange.map { ": '\($0)' is no hexadecimal digit" } ?? ""),
                fix: "give an even number of hexadecimal digits, a file, or '-'")
        }
        guard let decoded else { return try find(in: text, profile) }
        let result = try find(in: decoded, profile)
        guard !result.isComplete, profile.isText else { return result }
        let characters = try find(in: text, profile)
        return characters.isComplete || !result.messages.contains(where: \.isMessage) && looksLikeType(text)
            ? characters : result
    }

    /// The first character that is no digit; for a profile of characters, the first one that no message has.
    private static func strangeCharacter(_ text: [UInt8], _ profile: MessageProfile) -> String? {
        String(decoding: text, as: UTF8.self).unicodeScalars.first { scalar in
            guard scalar.isASCII, !profile.isText else { return !scalar.isASCII }
            return !scalar.properties.isASCIIHexDigit && !separators.unicodeScalars.contains(scalar)
        }.map { String($0).harmless }
    }

    /// Whether a text begins with digits, as a message in characters does.
    private static func looksLikeType(_ text: [UInt8]) -> Bool {
        MessageType(String(decoding: text.prefix(4), as: UTF8.self)) != nil
    }

    private static func find(in bytes: [UInt8], _ profile: MessageProfile) throws(CommandFailure) -> MessageFinder {
        do throws(PacketCaptureError) { return try MessageFinder(bytes, profile) } catch {
            throw CommandFailure(.badData, code: "malformed_recording", message: "the recording is \(error)")
        }
    }

    /// The bytes of hexadecimal digits with blanks, colons, and hyphens between them; nil when there is something else.
    private static func digits(_ text: [UInt8]) -> [UInt8]? {
        let digits = text.filter { !separators.utf8.contains($0) }
        return digits.isEmpty ? nil : [UInt8](hexadecimalDigits: digits)
    }
}

extension MessageFinder.Found {
    fileprivate var isMessage: Bool { if case .success = content { true } else { false } }
}

extension MessageProfile {
    /// Whether a message of the dialect has characters only.
    fileprivate var isText: Bool {
        encoding.messageType == .ascii && encoding.bitmap == .hexAscii && encoding.text == .ascii
            && encoding.numeric == .ascii && encoding.lengths == .ascii && encoding.binary == .hex && header == .none
    }
}
