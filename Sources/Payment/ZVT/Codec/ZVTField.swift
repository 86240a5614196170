public import CardSecrets

/// A field of a ZVT message: the number of its bitmap (BMP) and its value.
public struct ZVTField: Equatable, Sendable {
    public let bmp: UInt8
    public let value: ZVTValue

    /// Takes a value as it stands in the field, without its length. ``ZVTMessage/encoded()`` checks it.
    ///
    /// The bytes of a field with card data are kept as a secret; wipe other copies.
    public init(_ bmp: UInt8, _ bytes: [UInt8]) {
        self.bmp = bmp
        value = ZVTFieldRule.all[bmp]?.isSecret == true ? .secret(ZVTSecret(SensitiveBytes(bytes))) : .plain(bytes)
    }

    /// Makes the TLV container (BMP 06).
    public init(objects: [ZVTObject]) {
        bmp = ZVTFieldRule.container
        value = .objects(objects)
    }

    /// The bytes of the value; nil for a secret, and for the TLV container.
    public var bytes: [UInt8]? {
        if case .plain(let bytes) = value { bytes } else { nil }
    }
}

/// The value of a field.
public enum ZVTValue: Equatable, Sendable {
    case plain([UInt8])
    /// Card number, tracks, chip data, CVV, password.
    case secret(ZVTSecret)
    /// The data objects of the TLV container.
    case objects([ZVTObject])
}

/// Secret bytes that several values may share. They have no textual form.
public final class ZVTSecret: Sendable, Equatable, CustomStringConvertible {
    public let bytes: SensitiveBytes

    /// Takes the bytes over.
    public init(_ bytes: consuming SensitiveBytes) { self.bytes = bytes }

    /// Compares in a time that depends only on the lengths.
    public static func == (first: ZVTSecret, second: ZVTSecret) -> Bool { first.bytes.isEqual(to: second.bytes) }

    public var description: String { "\(bytes.count) secret bytes" }
}

/// How the value of a field is written.
enum ZVTFieldFormat: Hashable, Sendable {
    /// So many bytes.
    case fixed(Int)
    /// So many bytes of packed digits.
    case digits(Int)
    /// Two or three bytes F0 to F9 with the number of bytes, and these.
    case variable(lengthBytes: Int)
    /// Data objects behind a BER length.
    case objects
}

/// A row of the table of fields.
struct ZVTFieldRule: Sendable {
    let name: String
    let format: ZVTFieldFormat
    /// Card data, or a password.
    var isSecret = false
    /// Characters, for people.
    var isText = false

    /// The TLV container.
    static let container: UInt8 = 0x06

    /// The fields of ZVT by number (PA00P015 13.08, chapter 2). Fields that this terminal does not use are here too:
    /// without their lengths, nothing behind them could be read.
    static let all: [UInt8: ZVTFieldRule] = {
        var all = rows
        for bmp in UInt8(0xE1)...0xE8 { all[bmp] = text("text line \(bmp - 0xE0)", 2) }
        for bmp in UInt8(0xF1)...0xF8 { all[bmp] = text("text line \(bmp - 0xF0)", 2) }
        for bmp: UInt8 in [0xD0, 0xD1, 0xD2, 0xD3, 0xE0, 0xE9, 0xEA, 0xEB, 0xF0, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD] {
            all[bmp] = row("text and key control", .fixed(1))
        }
        return all
    }()

    private static let rows: [UInt8: ZVTFieldRule] = [
        0x01: row("timeout", .fixed(1)), 0x02: row("maximum of status informations", .fixed(1)),
        0x03: row("service byte", .fixed(1)), 0x04: row("amount", .digits(6)), 0x05: row("pump number", .fixed(1)),
        0x06: row("TLV container", .objects), 0x0B: row("trace number", .digits(3)),
        0x0C: row("time", .digits(3)), 0x0D: row("date", .digits(2)),
        0x0E: row("expiry date", .fixed(2)),
        // A card number without one has FF.
        0x17: row("card sequence number", .fixed(2)), 0x19: row("status byte or payment type", .fixed(1)),
        0x22: secret("card number", 2), 0x23: secret("track 2", 2), 0x24: secret("track 3", 3),
        0x27: row("result code", .fixed(1)), 0x29: row("terminal ID", .digits(4)),
        0x2A: ZVTFieldRule(name: "contract number", format: .fixed(15), isText: true),
        0x2D: secret("track 1", 2), 0x2E: secret("chip data", 3), 0x37: row("original trace number", .digits(3)),
        0x3A: ZVTFieldRule(name: "card verification value", format: .fixed(2), isSecret: true),
        0x3B: ZVTFieldRule(name: "authorization attribute", format: .fixed(8), isText: true),
        0x3C: text("additional text", 3),
        0x3D: ZVTFieldRule(name: "password", format: .fixed(3), isSecret: true),
        0x49: row("currency", .digits(2)), 0x60: row("totals", .variable(lengthBytes: 3)),
        0x70: row("display image", .fixed(4)), 0x71: row("display image", .fixed(4)),
        0x72: row("display image", .fixed(1)), 0x73: row("display image", .fixed(1)),
        0x74: row("display image", .fixed(1)), 0x75: row("display image", .fixed(1)),
        // FFFF asks for open pre-authorizations.
        0x87: row("receipt number", .fixed(2)), 0x88: row("turnover number", .digits(3)),
        0x8A: row("card type", .fixed(1)), 0x8B: text("card name", 2),
        0x8C: row("card type of the network operator", .fixed(1)), 0x9A: secret("GeldKarte data", 3),
        0xA0: row("host's result code", .fixed(1)), 0xA7: secret("chip data EF_ID", 2),
        0xAA: row("date", .digits(3)), 0xAF: secret("chip data EF_Info", 3), 0xBA: row("AID parameter", .fixed(5)),
    ]

    private static func row(_ name: String, _ format: ZVTFieldFormat) -> ZVTFieldRule {
        ZVTFieldRule(name: name, format: format)
    }

    private static func text(_ name: String, _ lengthBytes: Int) -> ZVTFieldRule {
        ZVTFieldRule(name: name, format: .variable(lengthBytes: lengthBytes), isText: true)
    }

    private static func secret(_ name: String, _ lengthBytes: Int) -> ZVTFieldRule {
        ZVTFieldRule(name: name, format: .variable(lengthBytes: lengthBytes), isSecret: true)
    }
}

/// Packed digits: two in a byte.
enum PackedDigits {
    /// Returns the number; nil for a half byte that is no digit, and for more than 18 digits.
    static func number(_ bytes: some Collection<UInt8>) -> Int64? {
        guard bytes.count <= 9 else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            guard byte >> 4 <= 9, byte & 0xF <= 9 else { return nil }
            number = number * 100 + Int64(byte >> 4) * 10 + Int64(byte & 0xF)
        }
        return number
    }

    /// Returns so many bytes; nil when the number is negative or has more digits.
    static func bytes(_ number: Int64, _ count: Int) -> [UInt8]? {
        guard number >= 0 else { return nil }
        var (bytes, rest) = ([UInt8](repeating: 0, count: count), number)
        for place in bytes.indices.reversed() {
            bytes[place] = UInt8(rest % 100 / 10) << 4 | UInt8(rest % 10)
            rest /= 100
        }
        return rest == 0 ? bytes : nil
    }
}
