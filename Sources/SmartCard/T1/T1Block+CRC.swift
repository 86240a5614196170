extension T1Block {
    /// The cyclic redundancy check of ISO/IEC 13239 (CRC-16/X-25), least significant byte first.
    static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var register: UInt16 = 0xFFFF
        for byte in bytes {
            register ^= UInt16(byte)
            for _ in 0..<8 {
                register = register & 1 == 1 ? register >> 1 ^ 0x8408 : register >> 1
            }
        }
        register = ~register
        return [UInt8(register & 0xFF), UInt8(register >> 8)]
    }
}
