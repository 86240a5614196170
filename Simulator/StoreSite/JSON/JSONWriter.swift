import Text

/// Writes JSON like PHP: slashes and all non-ASCII characters are escaped.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// The end positions of the members of the outermost object.
    private(set) var memberEnds: [Int] = []
    private var needsComma = false
    private var depth = 0

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func object(_ members: (inout JSONWriter) -> Void) {
        begin(UInt8(ascii: "{"))
        members(&self)
        end(UInt8(ascii: "}"))
    }

    mutating func list<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        begin(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        end(UInt8(ascii: "]"))
    }

    mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    mutating func member(_ name: StaticString, _ number: Int64) {
        key(name)
        raw(String(number))
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        raw(flag ? "true" : "false")
    }

    mutating func member(_ name: StaticString, _ amount: Amount) {
        key(name)
        raw("\"\(amount.text)\"")
    }

    mutating func member(_ name: StaticString, number: String) {
        key(name)
        raw(number)
    }

    mutating func member(_ name: StaticString, orNull text: String?) {
        key(name)
        if let text { string(text) } else { raw("null") }
    }

    mutating func member(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    mutating func member<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        list(elements, write)
    }

    mutating func member(_ name: StaticString, node: JSONValue) {
        key(name)
        write(node)
    }

    mutating func write(_ node: JSONValue) {
        switch node {
        case .null: value { $0.raw("null") }
        case .bool(let flag): value { $0.raw(flag ? "true" : "false") }
        case .number(let text): value { $0.raw(text) }
        case .text(let text): value { $0.string(text) }
        case .list(let elements): list(elements) { $0.write($1) }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.value { $0.string(member.name) }
                    writer.bytes.append(UInt8(ascii: ":"))
                    writer.needsComma = false
                    writer.write(member.value)
                }
            }
        }
    }

    /// Appends JSON text as one value.
    mutating func append(_ json: some Collection<UInt8>) { value { $0.bytes += json } }

    private mutating func value(_ write: (inout JSONWriter) -> Void) {
        comma()
        write(&self)
        needsComma = true
    }

    private mutating func comma() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

    private mutating func begin(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
        depth += 1
    }

    private mutating func end(_ bracket: UInt8) {
        if depth == 1 { memberEnds.append(bytes.count) }
        depth -= 1
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func key(_ name: StaticString) {
        if depth == 1, needsComma { memberEnds.append(bytes.count) }
        comma()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes += $0 }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func raw(_ text: String) {
        bytes += text.utf8
        needsComma = true
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ Self.isPlain($0) }) {
            bytes += text.utf8
        } else {
            for unit in text.utf16 { escape(unit) }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "/")
    }

    private mutating func escape(_ unit: UInt16) {
        switch unit {
        case 0x08: bytes += "\\b".utf8
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x22, 0x2F, 0x5C:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(UInt8(truncatingIfNeeded: unit))
        case 0x20...0x7E: bytes.append(UInt8(truncatingIfNeeded: unit))
        default:
            bytes += "\\u".utf8
            for shift in [12, 8, 4, 0] as [UInt16] { bytes.append(Self.hexadecimal[Int(unit >> shift & 15)]) }
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
