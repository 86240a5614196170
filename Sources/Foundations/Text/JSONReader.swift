/// Reads JSON (RFC 8259) from any bytes; invalid JSON gives nil.
public struct JSONReader {
    private let bytes: [UInt8]
    private let takesRepeatedNames: Bool
    private var index = 0
    private var depth = 0

    /// Deeper than any client's JSON, and far from the end of a thread's stack.
    private static let deepest = 64

    private init(_ bytes: [UInt8], _ takesRepeatedNames: Bool) {
        (self.bytes, self.takesRepeatedNames) = (bytes, takesRepeatedNames)
    }

    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - bytes: the text in UTF-8. Bytes that are not UTF-8 become replacement characters.
    ///   - takesRepeatedNames: whether an object may have a name twice, and has its last value then, as in PHP.
    /// - Returns: the value, with numbers as they were written; nil for invalid JSON, and beyond 64 levels.
    public static func node(_ bytes: [UInt8], takesRepeatedNames: Bool = true) -> JSONValue? {
        var reader = JSONReader(bytes, takesRepeatedNames)
        reader.skipSpace()
        guard let node = reader.value() else { return nil }
        reader.skipSpace()
        return reader.index == bytes.count ? node : nil
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let word = word.withUTF8Buffer { Array($0) }
        guard bytes[index...].starts(with: word) else { return false }
        index += word.count
        return true
    }

    private mutating func value() -> JSONValue? {
        switch next {
        case UInt8(ascii: "{"): nested { $0.object() }
        case UInt8(ascii: "["): nested { $0.list() }
        case UInt8(ascii: "\""): string().map(JSONValue.text)
        case UInt8(ascii: "t"): take(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): take(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): take(word: "null") ? .null : nil
        default: number()
        }
    }

    private mutating func nested(_ read: (inout JSONReader) -> JSONValue?) -> JSONValue? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        index += 1
        skipSpace()
        let node = read(&self)
        depth -= 1
        return node
    }

    private mutating func object() -> JSONValue? {
        var members: [JSONValue.Member] = []
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            guard let name = string() else { return nil }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return nil }
            skipSpace()
            guard let value = value() else { return nil }
            if let index = members.firstIndex(where: { $0.name == name }) {
                guard takesRepeatedNames else { return nil }
                members[index].value = value
            } else {
                members.append(JSONValue.Member(name, value))
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
            skipSpace()
        }
    }

    private mutating func list() -> JSONValue? {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .list([]) }
        while true {
            guard let value = value() else { return nil }
            elements.append(value)
            skipSpace()
            if take(UInt8(ascii: "]")) { return .list(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
            skipSpace()
        }
    }

    private mutating func number() -> JSONValue? {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { guard digits() else { return nil } }
        if take(UInt8(ascii: ".")) { guard digits() else { return nil } }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
            guard digits() else { return nil }
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index > start
    }

    private mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard escape(into: &text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        index += 1
        switch byte {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"):
            guard let unit = unit() else { return false }
            text += Array(String(Character(scalar(unit))).utf8)
        default: return false
        }
        return true
    }

    /// Returns the character that starts with a UTF-16 unit. An unpaired surrogate becomes a replacement character.
    private mutating func scalar(_ unit: UInt32) -> Unicode.Scalar {
        guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
        let mark = index
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = self.unit(), (0xDC00...0xDFFF).contains(low)
        else {
            index = mark
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func unit() -> UInt32? {
        guard bytes.count - index >= 4,
            let unit = UInt32(String(decoding: bytes[index..<(index + 4)], as: UTF8.self), radix: 16),
            bytes[index..<(index + 4)].allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        index += 4
        return unit
    }
}
