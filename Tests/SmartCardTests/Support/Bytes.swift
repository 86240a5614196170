/// Bytes written as hexadecimal digits, blanks allowed.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 0xF, radix: 16, uppercase: true) }.joined()
}
