internal import CardSecrets
internal import Cryptography

/// A PAN as tag 5A has it, behind a reference, so that values that hold it are plain values. It has no textual
/// form.
final class ConcealedPAN: Sendable {
    private let bytes: SensitiveBytes

    init(_ bytes: [UInt8]) { self.bytes = SensitiveBytes(bytes) }

    /// - Throws: `PrimaryAccountNumberError`
    func accountNumber() throws(PrimaryAccountNumberError) -> PrimaryAccountNumber {
        var copy = bytes.withUnsafeBytes { Array($0) }
        defer { copy.wipe() }
        return try PrimaryAccountNumber(compressedNumeric: copy)
    }
}
