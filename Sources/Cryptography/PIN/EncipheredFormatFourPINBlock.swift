public import CardSecrets

/// Format 4 PIN blocks (ISO 9564-1): the PIN with random fill, under AES, bound to the PAN between two
/// encipherments.
public enum EncipheredFormatFourPINBlock {
    /// Enciphers a PIN of 4...12 digits to 16 bytes. The key has 16, 24 or 32 bytes; `random` has 8.
    ///
    /// - Throws: ``PINBlockError``, but never ``PINBlockError/malformed``.
    public static func encipher(
        pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber, random: [UInt8],
        key: borrowing SensitiveBytes
    ) throws(PINBlockError) -> [UInt8] {
        guard random.count == 8 else { throw .randomLength(random.count) }
        let plain = SensitiveBytes(
            joining: try PINBlock.field(control: 4, pin: pin, fill: 0x0A), SensitiveBytes(random))
        var accountNumber = accountNumberField(pan)
        defer { accountNumber.wipe() }
        do throws(CryptographyError) {
            let bound = try AES.encrypt(plain, key: key).exclusiveOr(accountNumber)
            return try AES.encrypt(bound, key: key).withUnsafeBytes { [UInt8]($0) }
        } catch {
            throw .cryptography(error)
        }
    }

    /// The PIN in a block of 16 bytes.
    ///
    /// - Throws: ``PINBlockError/malformed``, ``PINBlockError/cryptography(_:)``
    public static func pin(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, key: borrowing SensitiveBytes
    ) throws(PINBlockError) -> SensitiveBytes {
        guard block.count == AES.blockLength else { throw .malformed }
        var accountNumber = accountNumberField(pan)
        defer { accountNumber.wipe() }
        let plain: SensitiveBytes
        do throws(CryptographyError) {
            let bound = try AES.decrypt(SensitiveBytes(block), key: key).exclusiveOr(accountNumber)
            plain = try AES.decrypt(bound, key: key)
        } catch {
            throw .cryptography(error)
        }
        return try PINBlock.pin(in: plain.part(0..<8), control: 4, fill: 0x0A)
    }

    /// The number of digits beyond twelve, the PAN (at least twelve digits) and zeros: 16 bytes.
    private static func accountNumberField(_ pan: borrowing PrimaryAccountNumber) -> [UInt8] {
        pan.withDigits { digits in
            let padding = max(0, 12 - digits.count)
            var nibbles = [UInt8(max(0, digits.count - 12))] + [UInt8](repeating: 0, count: padding) + digits
            nibbles.append(contentsOf: repeatElement(0, count: 32 - nibbles.count))
            return PINBlock.packed(nibbles)
        }
    }
}
