/// Reads a message as a JSON object, `{ "type": "0200", "fields": { "3": "000000" } }`, into lines as those of
/// `host encode`. Works on bytes, so that card data never becomes a `String`.
struct MessageObject {
    /// The reason why a text is no such object.
    struct Malformed: Error {
        /// The offset of the byte that is wrong.
        let offset: Int
    }

    private let bytes: [UInt8]
    private var position = 0
    private var type: [UInt8] = []
    private var fields: [[UInt8]] = []

    /// Whether a text may be an object: its first character is a brace.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isBlank($0) } == UInt8(ascii: "{")
    }

    /// - Returns: the type, then a line for each field: number, `=`, and value.
    /// - Throws: ``Malformed``
    static func lines(of bytes: [UInt8]) throws(Malformed) -> [[UInt8]] {
        var object = MessageObject(bytes)
        try object.readMessage()
        return [object.type] + object.fields
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var malformed: Malformed { Malformed(offset: position) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func readMessage() throws(Malformed) {
        try readMembers { (self, key) throws(Malformed) in
            switch key {
            case Array("type".utf8): self.type = try self.text()
            case Array("fields".utf8):
                try self.readMembers { (self, number) throws(Malformed) in
                    self.fields.append(number + [UInt8(ascii: "=")] + (try self.text()))
                }
            default: throw self.malformed
            }
        }
        skipBlanks()
        guard position == bytes.count, !type.isEmpty else { throw malformed }
    }

    /// Reads an object, and has `read` read the value of each key.
    private mutating func readMembers(
        _ read: (inout MessageObject, [UInt8]) throws(Malformed) -> Void
    ) throws(Malformed) {
        try take("{")
        if takes("}") { return }
        repeat {
            let key = try text()
            try take(":")
            try read(&self, key)
        } while takes(",")
        try take("}")
    }

    private mutating func skipBlanks() {
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Malformed) {
        guard takes(character) else { throw malformed }
    }

    /// Reads a text, or the digits of a number.
    private mutating func text() throws(Malformed) -> [UInt8] {
        var value: [UInt8] = []
        guard takes("\"") else {
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                value.append(bytes[position])
                position += 1
            }
            guard !value.isEmpty else { throw malformed }
            return value
        }
        while position < bytes.count, bytes[position] >= 0x20 {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return value }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard position < bytes.count, "\"\\/".utf8.contains(bytes[position]) else { throw malformed }
            value.append(bytes[position])
            position += 1
        }
        throw malformed
    }
}
