/// A strict reader of messages, written for the tests from RFC 5322, RFC 2045, RFC 2046 and RFC 2047. It takes what a
/// message may be and nothing else, so that a mistake of the encoder's is found.
struct ReadMessage {
    struct Fault: Error { var what: String }

    struct Part {
        var fields: [(name: String, value: String)]
        var content: [UInt8]
        var parts: [Part]

        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

        var text: String { String(decoding: content, as: UTF8.self) }
    }

    let root: Part

    init(_ bytes: [UInt8]) throws { root = try Self.part(try Self.lines(bytes)) }

    /// The lines of ASCII without their ends; each ends with CR and LF, and none is longer than a line may be.
    static func lines(_ bytes: [UInt8]) throws -> [String] {
        var (lines, line) = ([String](), [UInt8]())
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x0D:
                guard index + 1 < bytes.count, bytes[index + 1] == 0x0A else { throw Fault(what: "CR alone") }
            case 0x0A:
                guard index > 0, bytes[index - 1] == 0x0D else { throw Fault(what: "LF alone") }
                guard line.count <= 998 else { throw Fault(what: "line of \(line.count)") }
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            case 0x20...0x7E, 0x09: line.append(byte)
            default: throw Fault(what: "byte \(byte)")
            }
        }
        guard line.isEmpty else { throw Fault(what: "a line without an end") }
        return lines
    }

    private static func part(_ lines: [String]) throws -> Part {
        guard let blank = lines.firstIndex(of: "") else { throw Fault(what: "no empty line") }
        let fields = try fields(lines[..<blank])
        var part = Part(fields: fields, content: [], parts: [])
        let body = Array(lines[(blank + 1)...])
        let type = part.value("Content-Type") ?? "text/plain"
        if type.hasPrefix("multipart/") {
            part.parts = try parts(body, boundary: try parameter("boundary", of: type))
        } else {
            part.content = try decoded(body, part.value("Content-Transfer-Encoding") ?? "7bit")
        }
        return part
    }

    private static func fields(_ lines: ArraySlice<String>) throws -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for line in lines {
            guard line.utf8.count <= 78 || !line.dropFirst().contains(" ") else {
                throw Fault(what: "not folded: \(line)")
            }
            if line.hasPrefix(" ") {
                guard !fields.isEmpty, line.contains(where: { $0 != " " }) else { throw Fault(what: "bad fold") }
                fields[fields.count - 1].value += line
                continue
            }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw Fault(what: "no field: \(line)")
            }
            let name = String(line[..<colon])
            guard name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw Fault(what: "name \(name)") }
            fields.append((name, String(line[line.index(after: colon)...])))
        }
        for field in fields where !field.value.isEmpty && !field.value.hasPrefix(" ") {
            throw Fault(what: "value of \(field.name)")
        }
        guard Set(fields.map(\.name)).count == fields.count else { throw Fault(what: "a field twice") }
        return fields.map { ($0.name, String($0.value.dropFirst())) }
    }

    static func parameter(_ name: String, of value: String) throws -> String {
        let parts = value.split(separator: ";").map { $0.drop { $0 == " " } }
        guard let part = parts.first(where: { $0.hasPrefix(name + "=") }) else { throw Fault(what: "no \(name)") }
        return String(part.dropFirst(name.count + 1)).filter { $0 != "\"" }
    }

    private static func parts(_ lines: [String], boundary: String) throws -> [Part] {
        guard lines.first == "--" + boundary, lines.last == "--" + boundary + "--" else {
            throw Fault(what: "boundaries")
        }
        var (parts, part) = ([Part](), [String]())
        for line in lines.dropFirst() {
            if line == "--" + boundary || line == "--" + boundary + "--" {
                // The line break in front of a boundary is the boundary's own; an empty line stands for the content's.
                guard part.last == "" else { throw Fault(what: "no line break before a boundary") }
                parts.append(try self.part(part.dropLast().isEmpty ? part : Array(part.dropLast())))
                part = []
            } else {
                part.append(line)
            }
        }
        return parts
    }

    private static func decoded(_ lines: [String], _ encoding: String) throws -> [UInt8] {
        for line in lines where line.utf8.count > 76 { throw Fault(what: "encoded line of \(line.utf8.count)") }
        switch encoding {
        case "base64":
            for line in lines.dropLast() where line.utf8.count != 76 { throw Fault(what: "short line of base64") }
            return try base64(lines.joined())
        case "quoted-printable": return try quotedPrintable(lines)
        default: throw Fault(what: encoding)
        }
    }

    static func base64(_ text: String) throws -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { throw Fault(what: "length of base64") }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 4) {
            let group = Array(digits[start..<start + 4])
            let padding = group.reversed().prefix { $0 == UInt8(ascii: "=") }.count
            guard padding <= 2, padding == 0 || start + 4 == digits.count else { throw Fault(what: "padding") }
            var number = 0
            for digit in group.dropLast(padding) {
                guard let value = alphabet.firstIndex(of: digit) else { throw Fault(what: "digit of base64") }
                number = number << 6 | value
            }
            number <<= 6 * padding
            let all = [UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
            bytes += all.prefix(3 - padding)
        }
        return bytes
    }

    private static func quotedPrintable(_ lines: [String]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            guard line.last != " ", line.last != "\t" else { throw Fault(what: "blank at the end of a line") }
            var rest = line[...]
            var isSoft = false
            while let character = rest.popFirst() {
                guard character == "=" else {
                    bytes += Array(character.utf8)
                    continue
                }
                if rest.isEmpty {
                    isSoft = true
                } else {
                    let digits = rest.prefix(2)
                    guard digits.count == 2, digits.allSatisfy({ "0123456789ABCDEF".contains($0) }),
                        let byte = UInt8(digits, radix: 16)
                    else { throw Fault(what: "escape =\(digits)") }
                    bytes.append(byte)
                    rest = rest.dropFirst(2)
                }
            }
            if !isSoft { bytes.append(0x0A) }
        }
        return bytes
    }

    /// Text with encoded words read; the blanks between two of them are left out (RFC 2047 §6.2).
    static func unfolded(_ value: String) throws -> String {
        var (text, wasEncoded) = ("", false)
        for (index, word) in value.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let isEncoded = word.hasPrefix("=?")
            if index > 0, !(isEncoded && wasEncoded) { text += " " }
            if isEncoded {
                let parts = word.split(separator: "?", omittingEmptySubsequences: false)
                guard parts.count == 5, parts[1] == "utf-8", parts[2] == "B", parts[4] == "=", word.utf8.count <= 75
                else { throw Fault(what: "encoded word \(word)") }
                guard let decoded = String(validating: try base64(String(parts[3])), as: UTF8.self) else {
                    throw Fault(what: "half a character in \(word)")
                }
                text += decoded
            } else {
                text += word
            }
            wasEncoded = isEncoded
        }
        return text
    }
}
