public import Text

extension JSONDocument {
    /// Returns a node as a value.
    func value(_ index: Int) -> JSONValue {
        let node = nodes[index]
        return switch node.kind {
        case .null: .null
        case .false_: .bool(false)
        case .true_: .bool(true)
        case .number: .number(text(node))
        case .text: .text(text(node))
        case .list: .list(elements(of: index).map(value))
        case .object: .object(names(of: index).map { JSONValue.Member(text(nodes[$0]), value($0 + 1)) })
        }
    }

    /// The whole document as a value.
    public var value: JSONValue { value(Self.root) }
}

extension JSONValue: Codable {
    /// Decodes any value from a ``JSONDocument``, but only a text from other decoders.
    public init(from decoder: any Decoder) throws {
        if let reader = decoder as? DocumentDecoder {
            self = reader.document.value(reader.node)
            return
        }
        let container = try decoder.singleValueContainer()
        self = .text(try container.decode(String.self))
    }

    /// Encodes ``jsonText`` as one text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(jsonText)
    }
}

/// Escapes in JSON strings (RFC 8259 §7).
enum JSONText {
    /// Decodes the escapes of a valid string. Unpaired surrogates become U+FFFD.
    static func unescaped(_ content: ArraySlice<UInt8>) -> String {
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                units.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"): units.append(contentsOf: String(scalar(&rest)).utf8)
            default: units.append(escape)
            }
        }
        return String(decoding: units, as: UTF8.self)
    }

    static func hasValidEscapes(_ content: ArraySlice<UInt8>) -> Bool {
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else { continue }
            switch rest.popFirst() {
            case .some(let escape) where "\"\\/bfnrt".utf8.contains(escape): continue
            case UInt8(ascii: "u"):
                guard hexadecimal(rest.prefix(4)) != nil else { return false }
                rest = rest.dropFirst(4)
            default: return false
            }
        }
        return true
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
        guard let first = hexadecimal(rest.prefix(4)) else { return "\u{FFFD}" }
        rest = rest.dropFirst(4)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800...0xDBFF).contains(first), rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]),
            let second = hexadecimal(rest.dropFirst(2).prefix(4)), (0xDC00...0xDFFF).contains(second)
        else { return "\u{FFFD}" }
        rest = rest.dropFirst(6)
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard digits.count == 4 else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt32(digit - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | (UInt32(digit | 0x20) - 0x57)
            default: return nil
            }
        }
        return value
    }
}

extension JSONValue {
    /// Encodes `value`: members by property name, with exact numbers.
    ///
    /// - Throws: The errors of `value`.
    public init(encoding value: some Encodable) throws { self = try JSONValueEncoder.value(of: value) }
}
