import Text

/// Parses a JSON text into nodes. Accepts a comma after the last element, because some sites send one.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var nodes: [JSONDocument.Node] = []
    private var depth = 0

    private static let depthLimit = 100

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func parse() throws(JSONSyntaxError) -> [JSONDocument.Node] {
        guard bytes.count <= Int(Int32.max) else { throw JSONSyntaxError(problem: .tooLong, offset: 0) }
        // Some plug-ins send a byte order mark, which has no meaning in UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipBlanks()
        guard position < bytes.count else { throw failure(.empty) }
        guard bytes[position] != UInt8(ascii: "<") else { throw failure(.markup) }
        nodes.reserveCapacity(bytes.count / 12)
        try value()
        skipBlanks()
        guard position == bytes.count else { throw failure(.trailingBytes) }
        return nodes
    }

    // MARK: Values

    private mutating func value() throws(JSONSyntaxError) {
        skipBlanks()
        switch try peek() {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try list()
        case UInt8(ascii: "\""): try text(isName: false)
        case UInt8(ascii: "t"): try word("true", .true_)
        case UInt8(ascii: "f"): try word("false", .false_)
        case UInt8(ascii: "n"): try word("null", .null)
        case UInt8(ascii: "-"), 0x30...0x39: try number()
        case let byte: throw failure(.unexpectedByte(byte))
        }
    }

    private mutating func object() throws(JSONSyntaxError) {
        let index = try open(.object)
        while try !takeEnd(UInt8(ascii: "}")) {
            guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte(bytes[position])) }
            try text(isName: true)
            skipBlanks()
            guard try peek() == UInt8(ascii: ":") else { throw failure(.unexpectedByte(bytes[position])) }
            position += 1
            try value()
            nodes[index].length += 1
            try takeComma(or: UInt8(ascii: "}"))
        }
        close(index)
    }

    private mutating func list() throws(JSONSyntaxError) {
        let index = try open(.list)
        while try !takeEnd(UInt8(ascii: "]")) {
            try value()
            nodes[index].length += 1
            try takeComma(or: UInt8(ascii: "]"))
        }
        close(index)
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONDocument.Kind
    ) throws(JSONSyntaxError) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw failure(.cut) }
            guard bytes[position] == word.utf8Start[index] else { throw failure(.unexpectedByte(bytes[position])) }
            position += 1
        }
        add(kind, start: start, length: 0)
    }

    private mutating func number() throws(JSONSyntaxError) {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let whole = skipDigits()
        // JSON forbids leading zeros.
        let isPadded = whole > 1 && bytes[position - whole] == UInt8(ascii: "0")
        var isWhole = whole > 0 && !isPadded
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            isWhole = skipDigits() > 0 && isWhole
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            isWhole = skipDigits() > 0 && isWhole
        }
        guard isWhole else {
            throw JSONSyntaxError(problem: position == bytes.count ? .cut : .malformedNumber, offset: start)
        }
        add(.number, start: start, length: position - start)
    }

    private mutating func text(isName: Bool) throws(JSONSyntaxError) {
        position += 1
        let start = position
        var (hasEscapes, isASCII) = (false, true)
        scan: while true {
            guard position < bytes.count else { throw failure(.cut) }
            switch bytes[position] {
            case UInt8(ascii: "\""): break scan
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 2
            case 0x20..<0x80: position += 1
            case 0x80...:
                isASCII = false
                position += 1
            default: throw failure(.malformedText)
            }
        }
        let content = bytes[start..<position]
        if !isASCII, String(validating: content, as: UTF8.self) == nil {
            throw JSONSyntaxError(problem: .notUTF8, offset: start)
        }
        if hasEscapes, !JSONText.hasValidEscapes(content) {
            throw JSONSyntaxError(problem: .malformedText, offset: start)
        }
        let hash =
            !isName ? 0 : hasEscapes ? NameHash.of(JSONText.unescaped(content)) : NameHash.of(content)
        add(.text, start: start, length: position - start, hasEscapes: hasEscapes, nameHash: hash)
        position += 1
    }

    // MARK: Nodes

    private mutating func add(
        _ kind: JSONDocument.Kind, start: Int, length: Int, hasEscapes: Bool = false, nameHash: UInt32 = 0
    ) {
        nodes.append(
            JSONDocument.Node(
                kind: kind, hasEscapes: hasEscapes, start: UInt32(start), length: UInt32(length),
                next: UInt32(nodes.count + 1), nameHash: nameHash))
    }

    private mutating func open(_ kind: JSONDocument.Kind) throws(JSONSyntaxError) -> Int {
        guard depth < Self.depthLimit else { throw failure(.tooDeep) }
        depth += 1
        add(kind, start: position, length: 0)
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ index: Int) {
        depth -= 1
        nodes[index].next = UInt32(nodes.count)
    }

    // MARK: Bytes

    private mutating func takeEnd(_ end: UInt8) throws(JSONSyntaxError) -> Bool {
        skipBlanks()
        guard try peek() == end else { return false }
        position += 1
        return true
    }

    private mutating func takeComma(or end: UInt8) throws(JSONSyntaxError) {
        skipBlanks()
        let byte = try peek()
        if byte == UInt8(ascii: ",") {
            position += 1
        } else if byte != end {
            throw failure(.unexpectedByte(byte))
        }
    }

    private mutating func skipBlanks() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Returns the number of digits.
    private mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return position - start
    }

    private func peek() throws(JSONSyntaxError) -> UInt8 {
        guard position < bytes.count else { throw failure(.cut) }
        return bytes[position]
    }

    private func failure(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError {
        JSONSyntaxError(problem: problem, offset: min(position, bytes.count))
    }
}

/// A syntax error in a JSON text.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule of RFC 8259 that the text breaks, or the limit that it exceeds.
    public enum Problem: Hashable, Sendable {
        case empty
        /// The text ends inside a value.
        case cut
        /// The text begins like HTML or XML.
        case markup
        /// A string is not UTF-8.
        case notUTF8
        case unexpectedByte(UInt8)
        case malformedNumber, malformedText
        /// More than a hundred nested lists and objects.
        case tooDeep
        /// Bytes follow after the value.
        case trailingBytes
        case tooLong
    }

    public let problem: Problem
    /// The offset from the start, in bytes.
    public let offset: Int

    public var description: String {
        switch problem {
        case .empty: "it is empty"
        case .cut: "it is truncated after \(offset) bytes"
        case .markup: "it is a web page or other markup"
        case .notUTF8: "it is not UTF-8 (byte \(offset))"
        case .unexpectedByte(let byte): "byte \(offset) is \(PercentEncoding.escape(byte)), which is not allowed there"
        case .malformedNumber: "the number at byte \(offset) is malformed"
        case .malformedText: "the text at byte \(offset) is malformed"
        case .tooDeep: "it is nested too deeply (byte \(offset))"
        case .trailingBytes: "data follows after its end (byte \(offset))"
        case .tooLong: "it is too long"
        }
    }
}
