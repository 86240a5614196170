import CardSecrets

/// A ZVT message: its control field, the values that stand first in it, and its fields in the order of the bytes.
///
/// ``init(_:)`` reads a frame, and ``encoded()`` writes it. Both are total: wrong bytes are a ``ZVTError`` with the
/// place and the rule. Secret values stay in memory for secrets, and ``ZVTDump`` shows a message without them.
public struct ZVTMessage: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    public let control: ZVTControl
    /// The values before the fields, which have no number.
    public let head: [ZVTPart]
    public let fields: [ZVTField]

    /// Makes a message. ``encoded()`` checks the values.
    public init(_ control: ZVTControl, head: [ZVTPart] = [], fields: [ZVTField] = []) {
        (self.control, self.head, self.fields) = (control, head, fields)
    }

    /// The first field with a number.
    public func field(_ bmp: UInt8) -> ZVTField? { fields.first { $0.bmp == bmp } }

    /// The bytes of the first field with a number; nil when it is absent, secret, or the TLV container.
    public func bytes(_ bmp: UInt8) -> [UInt8]? { field(bmp)?.bytes }

    /// The packed digits of the first field with a number.
    public func number(_ bmp: UInt8) -> Int64? { bytes(bmp).flatMap { PackedDigits.number($0) } }

    /// The data objects of the TLV container; nil when there is none.
    public var objects: [ZVTObject]? {
        guard case .objects(let objects)? = field(ZVTFieldRule.container)?.value else { return nil }
        return objects
    }

    /// The control field, and the numbers of the fields, without values.
    public var description: String { "\(control) with \(fields.count) fields" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value that stands before the fields of a message.
public enum ZVTPart: Equatable, Sendable {
    /// Three bytes of packed digits.
    case password(ZVTSecret)
    /// The till's choices at its registration.
    case configuration(UInt8)
    /// Two bytes of packed digits, ISO 4217.
    case currency(Int)
    case language(UInt8)
    /// The status of 04 FF, or of 06 0F after a status enquiry.
    case status(UInt8)
    /// The till's new patience, in minutes as packed digits.
    case minutes(UInt8)
    case result(ZVTResult)
    /// How a line is printed.
    case attribute(UInt8)
    /// The characters of a line.
    case text([UInt8])
    /// The terminal's software version.
    case version([UInt8])

    /// The name in dumps and errors.
    var name: String {
        switch self {
        case .password: "password"
        case .configuration: "configuration byte"
        case .currency: "currency"
        case .language: "language"
        case .status: "status"
        case .minutes: "minutes"
        case .result: "result code"
        case .attribute: "attribute"
        case .text: "text"
        case .version: "software version"
        }
    }
}

// Reading.
extension ZVTMessage {
    /// Reads a frame.
    ///
    /// - Throws: ``ZVTError`` with the offset from the first byte of the frame.
    public init(_ frame: ZVTFrame) throws(ZVTError) {
        var reader = ZVTReader(frame)
        control = frame.control
        head = try reader.head(of: frame.control)
        fields = try reader.fields()
    }
}

private struct ZVTReader {
    private let bytes: [UInt8]
    /// The offset of the data in the message.
    private let shift: Int
    private var index = 0

    init(_ frame: ZVTFrame) { (bytes, shift) = (frame.data, frame.headLength) }

    private var left: Int { bytes.count - index }

    private mutating func take(_ count: Int, _ part: ZVTError.Part) throws(ZVTError) -> [UInt8] {
        guard left >= count else { throw ZVTError(part, at: index + shift, .truncated(missing: count - left)) }
        defer { index += count }
        return Array(bytes[index..<index + count])
    }

    private mutating func takeByte(_ part: ZVTError.Part) throws(ZVTError) -> UInt8 {
        guard index < bytes.count else { throw ZVTError(part, at: index + shift, .truncated(missing: 1)) }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func password() throws(ZVTError) -> ZVTPart {
        let start = index
        var digits = try take(3, .head("password"))
        defer { digits.wipe() }
        if let wrong = Self.firstWrongDigit(digits) {
            throw ZVTError(.head("password"), at: start + wrong + shift, .notADigit)
        }
        return .password(ZVTSecret(SensitiveBytes(digits)))
    }

    private mutating func currency() throws(ZVTError) -> ZVTPart {
        let start = index
        let digits = try take(2, .head("currency"))
        guard let number = PackedDigits.number(digits) else {
            let wrong = Self.firstWrongDigit(digits) ?? 0
            throw ZVTError(.head("currency"), at: start + wrong + shift, .notADigit)
        }
        return .currency(Int(number))
    }

    private static func firstWrongDigit(_ bytes: [UInt8]) -> Int? {
        bytes.firstIndex { $0 >> 4 > 9 || $0 & 0xF > 9 }
    }

    /// Reads what stands before the fields.
    mutating func head(of control: ZVTControl) throws(ZVTError) -> [ZVTPart] {
        switch control {
        case .registration:
            var parts: [ZVTPart] = [try password()]
            parts.append(.configuration(try takeByte(.head("configuration byte"))))
            if left > 0 { parts.append(try currency()) }
            return parts
        case .reversal, .refund, .repeatReceipt, .endOfDay, .sendTotals, .initialization: return [try password()]
        case .statusEnquiry:
            // Some tills send no password, but fields, which begin with no digits.
            let isPassword = left >= 3 && Self.firstWrongDigit(Array(bytes.prefix(3))) == nil
            return try isPassword ? [password()] : []
        case .language: return [.language(try takeByte(.head("language")))]
        case .intermediateStatus:
            var parts = [ZVTPart.status(try takeByte(.head("status")))]
            if left > 0 { parts.append(.minutes(try takeByte(.head("minutes")))) }
            return parts
        case .abort: return [.result(ZVTResult(rawValue: try takeByte(.head("result code"))))]
        case .printLine:
            let attribute = try takeByte(.head("attribute"))
            return [.attribute(attribute), .text(try take(left, .head("text")))]
        case .completion: return try completion()
        case .authorization, .preauthorization, .partialReversal, .bookTotal, .preauthorizationReversal, .diagnosis,
            .abortCommand, .logOff, .setTillClock, .statusInformation, .printTextBlock:
            return []
        case _ where control.rawValue == 0x841E:
            var parts: [ZVTPart] = []
            if left > 0 { parts.append(.result(ZVTResult(rawValue: try takeByte(.head("result code"))))) }
            if left > 0 { parts.append(try currency()) }
            return parts
        case _ where control.isAnswer: return []
        default: throw ZVTError(.frame, at: 0, .unknownCommand)
        }
    }

    /// The fields of a completion. After a status enquiry it has a version and a status instead.
    private static let completionFields: Set<UInt8> = [
        0x04, 0x06, 0x0B, 0x0C, 0x0D, 0x19, 0x22, 0x27, 0x29, 0x2A, 0x3C, 0x49, 0x87, 0x8A, 0x8B,
    ]

    private mutating func completion() throws(ZVTError) -> [ZVTPart] {
        guard left > 0 else { return [] }
        if left > 1, Self.completionFields.contains(bytes[0]) { return [] }
        var parts: [ZVTPart] = []
        if left > 1, bytes[0] >> 4 == 0xF, bytes[1] >> 4 == 0xF {
            let count = try variableLength(3, .head("software version"))
            parts.append(.version(try take(count, .head("software version"))))
        }
        parts.append(.status(try takeByte(.head("status"))))
        return parts
    }

    /// Reads F0 to F9, a digit of the number of bytes each.
    private mutating func variableLength(_ lengthBytes: Int, _ part: ZVTError.Part) throws(ZVTError) -> Int {
        var count = 0
        for _ in 0..<lengthBytes {
            let byte = try takeByte(part)
            guard byte >> 4 == 0xF, byte & 0xF <= 9 else {
                throw ZVTError(part, at: index - 1 + shift, .lengthIsNoNumber)
            }
            count = count * 10 + Int(byte & 0xF)
        }
        return count
    }

    /// Reads the fields up to the end.
    mutating func fields() throws(ZVTError) -> [ZVTField] {
        var (fields, known) = ([ZVTField](), Set<UInt8>())
        while index < bytes.count {
            let bmp = bytes[index]
            guard let rule = ZVTFieldRule.all[bmp] else { throw ZVTError(.bmp(bmp), at: index + shift, .unknownField) }
            guard known.insert(bmp).inserted else { throw ZVTError(.bmp(bmp), at: index + shift, .repeatedField) }
            index += 1
            let start = index
            switch rule.format {
            case .fixed(let count): fields.append(ZVTField(bmp, try take(count, .bmp(bmp))))
            case .digits(let count):
                let digits = try take(count, .bmp(bmp))
                if let wrong = Self.firstWrongDigit(digits) {
                    throw ZVTError(.bmp(bmp), at: start + wrong + shift, .notADigit)
                }
                fields.append(ZVTField(bmp, digits))
            case .variable(let lengthBytes):
                let count = try variableLength(lengthBytes, .bmp(bmp))
                var value = try take(count, .bmp(bmp))
                fields.append(ZVTField(bmp, value))
                if rule.isSecret { value.wipe() }
            case .objects:
                let count = try ZVTObject.length(bytes[...], &index, .bmp(bmp), shift: shift)
                guard left >= count else {
                    throw ZVTError(.bmp(bmp), at: index + shift, .truncated(missing: count - left))
                }
                fields.append(ZVTField(objects: try ZVTObject.read(bytes[index..<index + count], shift: shift)))
                index += count
            }
        }
        return fields
    }
}

// Writing.
extension ZVTMessage {
    /// Returns the bytes of the whole message, in the order of ``head`` and ``fields``. They may have card data in a
    /// till's message: wipe them after use.
    ///
    /// - Throws: ``ZVTError`` for a value that does not fit its field, and for clear card data in a message of a
    ///   terminal.
    public func encoded() throws(ZVTError) -> [UInt8] { try frame().encoded() }

    /// Returns the message as a frame.
    ///
    /// - Throws: as ``encoded()``
    public func frame() throws(ZVTError) -> ZVTFrame {
        var data: [UInt8] = []
        for part in head { try Self.append(part, to: &data) }
        for field in fields { try append(field, to: &data) }
        guard data.count <= 0xFFFF else { throw ZVTError(.end, at: 0, .tooLong(data.count, maximum: 0xFFFF)) }
        return ZVTFrame(control, data: data)
    }

    private static func append(_ part: ZVTPart, to data: inout [UInt8]) throws(ZVTError) {
        switch part {
        case .password(let secret):
            guard secret.bytes.count == 3 else {
                throw ZVTError(.head(part.name), at: 0, .wrongLength(secret.bytes.count, expected: 3))
            }
            secret.bytes.withUnsafeBytes { data.append(contentsOf: $0) }
        case .configuration(let byte), .language(let byte), .status(let byte), .minutes(let byte),
            .attribute(let byte):
            data.append(byte)
        case .result(let result): data.append(result.rawValue)
        case .currency(let number):
            guard let digits = PackedDigits.bytes(Int64(number), 2) else {
                throw ZVTError(.head(part.name), at: 0, .tooLong(number, maximum: 9999))
            }
            data += digits
        case .text(let text): data += text
        case .version(let text):
            data += try variableLength(text.count, 3, .head(part.name))
            data += text
        }
    }

    private func append(_ field: ZVTField, to data: inout [UInt8]) throws(ZVTError) {
        let part = ZVTError.Part.bmp(field.bmp)
        guard let rule = ZVTFieldRule.all[field.bmp] else { throw ZVTError(part, at: 0, .unknownField) }
        data.append(field.bmp)
        switch field.value {
        case .objects(let objects):
            guard rule.format == .objects else { throw ZVTError(part, at: 0, .unknownField) }
            let bytes = try ZVTObject.encoded(objects)
            data += try ZVTObject.encodedLength(bytes.count, part)
            data += bytes
        case .plain(let bytes):
            data += try Self.start(of: bytes.count, rule, part)
            if case .digits = rule.format, PackedDigits.number(bytes) == nil { throw ZVTError(part, at: 0, .notADigit) }
            data += bytes
        case .secret(let secret):
            guard !control.isFromTerminal || secret.bytes.withUnsafeBytes({ Self.isMasked($0, field.bmp) }) else {
                throw ZVTError(part, at: 0, .clearCardData)
            }
            data += try Self.start(of: secret.bytes.count, rule, part)
            secret.bytes.withUnsafeBytes { data.append(contentsOf: $0) }
        }
    }

    /// Makes a message from values as a table of fields has them, for a till that checks nothing: the bytes before the
    /// fields, and the value of each field without its length.
    ///
    /// - Throws: ``ZVTError`` for an unknown field, and for a value that has no room in its field.
    public static func frame(
        _ control: ZVTControl, head: [UInt8] = [], fields: [(bmp: UInt8, value: [UInt8])]
    ) throws(ZVTError) -> ZVTFrame {
        var data = head
        for field in fields {
            let part = ZVTError.Part.bmp(field.bmp)
            guard let rule = ZVTFieldRule.all[field.bmp] else { throw ZVTError(part, at: 0, .unknownField) }
            data.append(field.bmp)
            data +=
                try rule.format == .objects
                ? ZVTObject.encodedLength(field.value.count, part) : start(of: field.value.count, rule, part)
            data += field.value
        }
        return ZVTFrame(control, data: data)
    }

    /// Returns the length of a value where its field has one.
    private static func start(
        of count: Int, _ rule: ZVTFieldRule, _ part: ZVTError.Part
    ) throws(ZVTError) -> [UInt8] {
        switch rule.format {
        case .fixed(let expected), .digits(let expected):
            guard count == expected else { throw ZVTError(part, at: 0, .wrongLength(count, expected: expected)) }
            return []
        case .variable(let lengthBytes): return try variableLength(count, lengthBytes, part)
        case .objects: throw ZVTError(part, at: 0, .unknownField)
        }
    }

    private static func variableLength(
        _ count: Int, _ lengthBytes: Int, _ part: ZVTError.Part
    ) throws(ZVTError) -> [UInt8] {
        let maximum = lengthBytes == 2 ? 99 : 999
        guard count <= maximum else { throw ZVTError(part, at: 0, .tooLong(count, maximum: maximum)) }
        let digits = [UInt8(0xF0 | count / 100), UInt8(0xF0 | count / 10 % 10), UInt8(0xF0 | count % 10)]
        return Array(digits.suffix(lengthBytes))
    }

    /// Whether a secret value shows no more than a receipt may: an empty one, and a card number with E in place of all
    /// digits but the first six and the last four.
    private static func isMasked(_ bytes: UnsafeRawBufferPointer, _ bmp: UInt8) -> Bool {
        guard !bytes.isEmpty else { return true }
        guard bmp == 0x22 else { return false }
        var digits: [UInt8] = []
        for byte in bytes { digits += [byte >> 4, byte & 0xF] }
        defer { digits.wipe() }
        if digits.last == 0xF { digits.removeLast() }
        let hidden = digits.dropFirst(6).dropLast(4)
        let clear = digits.count(where: { $0 <= 9 })
        return hidden.allSatisfy { $0 == 0xE } && clear <= max(4, digits.count - 6)
    }
}
