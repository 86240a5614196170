import Text

/// The characters of texts: CP437 unless till and terminal agreed on others (tag 14).
public enum ZVTCharacters: UInt8, Hashable, Sendable {
    case ascii = 0x00
    case latin1 = 0x01
    case utf8 = 0xFE
    case cp437 = 0xFF

    /// Returns the bytes of a text. A character that the set does not have becomes `?`, the euro sign `EUR`, and
    /// control characters blanks.
    public func bytes(of text: String) -> [UInt8] {
        if self == .utf8 { return Array(text.utf8).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 } }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x20...0x7E: bytes.append(UInt8(scalar.value))
            case 0..<0x20, 0x7F, 0xA0: bytes.append(0x20)
            case 0x20AC: bytes += Array("EUR".utf8)
            default: bytes.append(byte(of: scalar) ?? UInt8(ascii: "?"))
            }
        }
        return bytes
    }

    /// Returns the text of bytes. A byte without a character becomes U+FFFD, and a control character a blank.
    public func text(of bytes: some Sequence<UInt8>) -> String {
        let bytes = bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        if self == .utf8 { return String(decoding: bytes, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : scalar(of: byte)) }
        return String(text)
    }

    private func byte(of scalar: Unicode.Scalar) -> UInt8? {
        switch self {
        case .ascii, .utf8: nil
        case .latin1: (0xA1...0xFF).contains(scalar.value) ? UInt8(scalar.value) : nil
        case .cp437: CodePage.pc437.byte(of: scalar)
        }
    }

    private func scalar(of byte: UInt8) -> Unicode.Scalar {
        switch self {
        case .ascii, .utf8: "\u{FFFD}"
        case .latin1: byte < 0xA0 ? "\u{FFFD}" : Unicode.Scalar(byte)
        case .cp437: CodePage.pc437.scalar(of: byte) ?? "\u{FFFD}"
        }
    }
}
