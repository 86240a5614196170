/// The 8-bit character sets in which a card writes its preferred name (tag 9F11; ISO/IEC 8859).
enum CodeTable: UInt8 {
    /// Western European
    case latin1 = 1
    /// Cyrillic
    case cyrillic = 5
    /// Turkish
    case latin5 = 9

    /// The text, or nil when a byte is no printable character of the set.
    func decode(_ bytes: [UInt8]) -> String? {
        var text = ""
        for byte in bytes {
            guard (0x20...0x7E).contains(byte) || byte >= 0xA0, let scalar = Unicode.Scalar(codePoint(of: byte)) else {
                return nil
            }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private func codePoint(of byte: UInt8) -> UInt32 {
        switch (self, byte) {
        case (.cyrillic, 0xF0): 0x2116
        case (.cyrillic, 0xFD): 0x00A7
        case (.cyrillic, 0xA0), (.cyrillic, 0xAD), (.cyrillic, ..<0xA0): UInt32(byte)
        case (.cyrillic, _): UInt32(byte) - 0xA0 + 0x0400
        case (.latin5, 0xD0): 0x011E
        case (.latin5, 0xDD): 0x0130
        case (.latin5, 0xDE): 0x015E
        case (.latin5, 0xF0): 0x011F
        case (.latin5, 0xFD): 0x0131
        case (.latin5, 0xFE): 0x015F
        default: UInt32(byte)
        }
    }
}
