import CardSecrets
import Text

/// The bytes that hexadecimal digits stand for; spaces and line ends are left out.
func hex(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text.filter { !$0.isWhitespace }) ?? [] }

/// A key in hexadecimal digits.
func key(_ text: String) -> SensitiveBytes { SensitiveBytes(hex(text)) }

/// A PIN or a PAN in decimal digits, one a byte.
func digits(_ text: String) -> SensitiveBytes { SensitiveBytes(text.utf8.map { $0 & 0x0F }) }

/// A PAN in decimal digits.
func pan(_ text: String) throws -> PrimaryAccountNumber {
    try PrimaryAccountNumber(compressedNumeric: hex(text + (text.count.isMultiple(of: 2) ? "" : "F")))
}

extension SensitiveBytes {
    /// A copy to compare with in a test.
    var revealed: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
