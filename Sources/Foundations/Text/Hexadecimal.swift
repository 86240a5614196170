extension Sequence<UInt8> {
    /// The bytes as uppercase hexadecimal digits, two a byte: `[0x9F, 0x02]` is `"9F02"`.
    public var hexadecimal: String { String(decoding: hexadecimal("0123456789ABCDEF"), as: UTF8.self) }

    /// The bytes as lowercase hexadecimal digits, two a byte: `[0x9F, 0x02]` is `"9f02"`.
    public var lowercaseHexadecimal: String { String(decoding: lowercaseHexadecimalDigits, as: UTF8.self) }

    /// The bytes as lowercase hexadecimal digits in ASCII, two a byte. The caller can wipe the digits of a secret.
    public var lowercaseHexadecimalDigits: [UInt8] { hexadecimal("0123456789abcdef") }

    private func hexadecimal(_ digits: StaticString) -> [UInt8] {
        digits.withUTF8Buffer { digits in
            var text: [UInt8] = []
            text.reserveCapacity(2 * underestimatedCount)
            for byte in self {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 0x0F)])
            }
            return text
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number as uppercase hexadecimal digits, two for each byte of its type: `0x4E6 as UInt16` is `"04E6"`.
    public var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }

    /// The number as lowercase hexadecimal digits, two for each byte of its type: `0x4E6 as UInt16` is `"04e6"`.
    public var lowercaseHexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.lowercaseHexadecimal } }
}

extension UInt8 {
    /// Reads one hexadecimal digit in ASCII, uppercase or lowercase. Nil for any other character.
    public init?(hexadecimalDigit character: UInt8) {
        switch character {
        case 0x30...0x39: self = character - 0x30
        case 0x41...0x46: self = character - 0x41 + 10
        case 0x61...0x66: self = character - 0x61 + 10
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Reads hexadecimal digits, two a byte, uppercase or lowercase. Nil when the number of digits is odd or another
    /// character is among them.
    public init?(hexadecimal text: some StringProtocol) { self.init(hexadecimalDigits: text.utf8) }

    /// Reads hexadecimal digits in ASCII, two a byte. The digits of a secret never become a `String` this way.
    ///
    /// Nil when the number of digits is odd or another character is among them.
    public init?(hexadecimalDigits digits: some Sequence<UInt8>) {
        self = []
        reserveCapacity(digits.underestimatedCount / 2)
        var high: UInt8?
        for character in digits {
            guard let digit = UInt8(hexadecimalDigit: character) else { return nil }
            if let first = high {
                append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
    }
}
