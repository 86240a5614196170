import CardSecrets
import Cryptography
import ISO8583
import Testing
import Text

@testable import HostSecurity

/// The bytes that hexadecimal digits stand for; blanks are left out.
func hex(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text.filter { !$0.isWhitespace }) ?? [] }

/// A key in hexadecimal digits.
func key(_ name: String, _ digits: String, _ cipher: HostKey.Cipher = .tripleDES) throws -> HostKey {
    try HostKey(name, cipher, SensitiveBytes(hex(digits)))
}

/// A profile with these lines.
func profile(_ lines: String, basedOn base: String = "iso87-ascii") throws -> MessageProfile {
    try MessageProfile(text: "profile: test\nbasedOn: \(base)\n" + lines, file: "test.yaml")
}

extension SensitiveBytes {
    /// A copy to compare with in a test.
    var revealed: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
