extension Array<UInt8> {
    /// Two bytes at `offset`, low byte first. The caller has checked that they are there.
    func littleEndian16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    /// Four bytes at `offset`, low byte first. The caller has checked that they are there.
    func littleEndian32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16
            | UInt32(self[offset + 3]) << 24
    }

    mutating func appendLittleEndian(_ number: UInt16) {
        append(UInt8(truncatingIfNeeded: number))
        append(UInt8(truncatingIfNeeded: number >> 8))
    }

    mutating func appendLittleEndian(_ number: UInt32) {
        appendLittleEndian(UInt16(truncatingIfNeeded: number))
        appendLittleEndian(UInt16(truncatingIfNeeded: number >> 16))
    }
}
