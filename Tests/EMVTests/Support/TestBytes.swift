import SmartCard

/// The bytes that hexadecimal digits stand for; spaces are left out.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A data object with a value in hexadecimal digits.
func tlv(_ tag: BERTag, _ text: String) -> [UInt8] { BERTLV.encode(tag, bytes(text)) }

/// A template around encoded data objects.
func tlv(_ tag: BERTag, _ parts: [UInt8]...) -> [UInt8] { BERTLV.encode(tag, parts.flatMap(\.self)) }

extension [UInt8] {
    /// Upper-case hexadecimal digits.
    var hexText: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
