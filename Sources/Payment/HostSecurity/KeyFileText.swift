import CardSecrets
import Cryptography
import ISO8583
import Text

/// The text of a key file in which marks stand for the keys.
///
/// A reader of YAML makes a `String` of each value. So every run of more than ten hexadecimal digits, also with blanks
/// between them, is moved to memory for secrets before, and a mark of the same length takes its place.
struct KeyFileText {
    /// The fewest digits of a run that may be a key. A check value has fewer.
    private static let fewestDigits = 2 * KeyCheckValue.lengths.upperBound + 1

    private var secrets: [SecretValue] = []

    /// - Parameter bytes: the file, in which marks replace the keys.
    init(replacingKeysIn bytes: inout [UInt8]) {
        var start = 0
        while start < bytes.count {
            guard UInt8(hexadecimalDigit: bytes[start]) != nil else {
                start += 1
                continue
            }
            let end = Self.endOfRun(bytes, from: start)
            replace(start..<end, in: &bytes)
            start = end
        }
    }

    /// The end of a run of digits, with single blanks between them.
    private static func endOfRun(_ bytes: [UInt8], from start: Int) -> Int {
        var end = start + 1
        while end < bytes.count {
            if UInt8(hexadecimalDigit: bytes[end]) != nil {
                end += 1
            } else if bytes[end] == 0x20, end + 1 < bytes.count, UInt8(hexadecimalDigit: bytes[end + 1]) != nil {
                end += 2
            } else {
                break
            }
        }
        return end
    }

    private mutating func replace(_ run: Range<Int>, in bytes: inout [UInt8]) {
        let count = run.reduce(0) { $0 + (bytes[$1] == 0x20 ? 0 : 1) }
        guard count >= Self.fewestDigits else { return }
        let digits = SensitiveBytes(count: count) { buffer in
            var place = 0
            for index in run where bytes[index] != 0x20 {
                buffer[place] = bytes[index]
                place += 1
            }
        }
        let number = Array(String(secrets.count).utf8)
        for (offset, index) in run.enumerated() {
            let back = run.count - 1 - offset
            bytes[index] = back < number.count ? number[number.count - 1 - back] : UInt8(ascii: "_")
        }
        secrets.append(SecretValue(digits))
    }

    /// Returns the bytes of a key by its mark; nil when the text is none, or the digits are no whole bytes.
    func key(_ mark: String) -> SensitiveBytes? {
        guard mark.utf8.count >= Self.fewestDigits, mark.hasPrefix("_"),
            let number = Int(mark.drop { $0 == "_" }), secrets.indices.contains(number)
        else { return nil }
        let count = secrets[number].bytes.count
        guard count.isMultiple(of: 2) else { return nil }
        return secrets[number].bytes.withUnsafeBytes { digits in
            SensitiveBytes(count: count / 2) { buffer in
                for place in buffer.indices {
                    let high = UInt8(hexadecimalDigit: digits[2 * place]) ?? 0
                    buffer[place] = high << 4 | (UInt8(hexadecimalDigit: digits[2 * place + 1]) ?? 0)
                }
            }
        }
    }
}
