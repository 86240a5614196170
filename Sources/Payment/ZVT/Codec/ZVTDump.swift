import CardSecrets
import Text

/// A message for people: its fields with their names and values. Card data and passwords are masked: of a card number,
/// the last four digits are left, and of other secrets, the number of bytes. A data object whose contents are not known
/// shows its number of bytes.
public struct ZVTDump: Sendable {
    /// A line of the dump.
    public struct Entry: Hashable, Sendable {
        /// The number of the field, the tags that lead to a data object, or empty for a value before the fields.
        public let place: String
        public let name: String
        public let value: String
    }

    /// The control field with its name.
    public let title: String
    public let entries: [Entry]

    /// Reads texts in the characters that till and terminal agreed on.
    public init(_ message: ZVTMessage, characters: ZVTCharacters = .cp437) {
        title = message.control.description
        var entries = message.head.map { Entry(place: "", name: $0.name, value: Self.value(of: $0, characters)) }
        for field in message.fields {
            let place = field.bmp.hexadecimal
            let rule = ZVTFieldRule.all[field.bmp]
            switch field.value {
            case .plain(let bytes):
                let value = Self.value(of: bytes, isText: rule?.isText == true, field.bmp, characters)
                entries.append(Entry(place: place, name: rule?.name ?? "", value: value))
            case .secret(let secret):
                entries.append(
                    Entry(place: place, name: rule?.name ?? "", value: Self.masked(secret, field.bmp)))
            case .objects(let objects):
                entries.append(Entry(place: place, name: rule?.name ?? "", value: ""))
                Self.append(objects, place, characters, to: &entries)
            }
        }
        self.entries = entries
    }

    /// The dump as lines: place, name, and value.
    public var text: String {
        let places = entries.map(\.place.count).max() ?? 0
        let names = entries.map(\.name.count).max() ?? 0
        let lines = entries.map { entry in
            let place = entry.place + String(repeating: " ", count: places - entry.place.count)
            let name = entry.name + String(repeating: " ", count: names - entry.name.count)
            return "  \(place)  \(name)  \(entry.value)"
        }
        return ([title] + lines).map { $0.trimmedAtEnd + "\n" }.joined()
    }

    private static func value(of part: ZVTPart, _ characters: ZVTCharacters) -> String {
        switch part {
        case .password: "******"
        case .configuration(let byte), .language(let byte), .status(let byte), .minutes(let byte),
            .attribute(let byte):
            byte.hexadecimal
        case .currency(let number): number.zeroPadded(to: 4)
        case .result(let result): "\(result.rawValue.hexadecimal) (\(result))"
        case .text(let bytes), .version(let bytes): CardNumberMask.masked(characters.text(of: bytes))
        }
    }

    private static func value(
        of bytes: [UInt8], isText: Bool, _ bmp: UInt8, _ characters: ZVTCharacters
    ) -> String {
        if bmp == 0x27, let result = bytes.first.map({ ZVTResult(rawValue: $0) }) {
            return "\(result.rawValue.hexadecimal) (\(result))"
        }
        // The expiry date of a card.
        if bmp == 0x0E { return "****" }
        guard isText else { return bytes.hexadecimal }
        return CardNumberMask.masked(characters.text(of: bytes.prefix { $0 != 0 }))
    }

    /// The last four digits of a card number with eight or more; stars for everything else.
    private static func masked(_ secret: ZVTSecret, _ bmp: UInt8) -> String {
        guard bmp == 0x22 else { return "\(secret.bytes.count) bytes" }
        return secret.bytes.withUnsafeBytes { bytes in
            let count = bytes.count * 2 - (bytes.last.map { $0 & 0xF == 0xF ? 1 : 0 } ?? 0)
            return String(
                (0..<count).map { place -> Character in
                    let digit = place % 2 == 0 ? bytes[place / 2] >> 4 : bytes[place / 2] & 0xF
                    guard count >= 8, place >= count - 4, digit <= 9 else { return "*" }
                    return Character(Unicode.Scalar(digit + 0x30))
                })
        }
    }

    private static func append(
        _ objects: [ZVTObject], _ path: String, _ characters: ZVTCharacters, to entries: inout [Entry]
    ) {
        for object in objects {
            let place = "\(path) \(ZVTObject.digits(of: object.tag))"
            let name = names[object.tag] ?? ""
            switch object.content {
            case .objects(let inner):
                entries.append(Entry(place: place, name: name, value: ""))
                append(inner, place, characters, to: &entries)
            case .bytes(let bytes):
                let value =
                    texts.contains(object.tag)
                    ? CardNumberMask.masked(characters.text(of: bytes))
                    : names[object.tag] == nil ? "\(bytes.count) bytes" : bytes.hexadecimal
                entries.append(Entry(place: place, name: name, value: value))
            }
        }
    }

    private static let texts: Set<UInt32> = [0x07, 0x0B, 0x0C, 0x13, 0x15, 0x42, 0x44, 0x46, 0x47, 0x1F17]

    private static let names: [UInt32: String] = [
        0x07: "text line", 0x08: "receipt number", 0x09: "attribute", 0x0A: "command", 0x0B: "information",
        0x0C: "information", 0x10: "merchant's display", 0x11: "customer's display", 0x12: "columns of the printer",
        0x13: "extra result", 0x14: "characters", 0x15: "language", 0x1A: "longest message", 0x1B: "diagnosis",
        0x23: "open pre-authorizations", 0x24: "display", 0x25: "print", 0x26: "permitted commands",
        0x27: "sets of characters", 0x28: "languages", 0x2E: "time", 0x2F: "payment", 0x40: "wanted EMV data",
        0x41: "card type", 0x42: "application label", 0x43: "AID", 0x44: "preferred name",
        0x45: "receipt parameter", 0x46: "EMV data, customer", 0x47: "EMV data, merchant", 0x1F01: "receipt",
        0x1F04: "wanted receipts", 0x1F07: "type of receipt", 0x1F10: "cardholder verification",
        0x1F11: "online", 0x1F12: "card reading", 0x1F16: "error code", 0x1F17: "error text",
        0x1F1F: "last transaction", 0x1F25: "cashback", 0x1F26: "end-of-day mode", 0x1F2B: "long trace number",
        0x1F36: "tip", 0x1F37: "result of the receipt", 0x1F44: "terminal ID", 0x1F5B: "card timeout",
    ]
}

extension String {
    /// The text without blanks at its end.
    fileprivate var trimmedAtEnd: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
