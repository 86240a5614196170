/// Bytes as upper-case hexadecimal digits.
enum HexText {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var characters: [UInt8] = []
        for byte in bytes {
            characters.append(digit(byte >> 4))
            characters.append(digit(byte & 0x0F))
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
    }
}
