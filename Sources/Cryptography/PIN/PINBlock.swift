public import CardSecrets

/// PIN blocks in clear (ISO 9564-1). A PIN is 4...12 digits, one a byte with values 0...9.
///
/// Format 4 has no useful form in clear; see ``EncipheredFormatFourPINBlock``.
public enum PINBlock {
    /// Format 0, 8 bytes: the PIN, exclusive-or the twelve rightmost digits of the PAN without its
    /// check digit.
    ///
    /// - Throws: ``PINBlockError/pinLength(_:)``, ``PINBlockError/notDigits``
    public static func formatZero(
        pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) throws(PINBlockError) -> SensitiveBytes {
        var accountNumber = accountNumberPart(pan)
        defer { accountNumber.wipe() }
        return try field(control: 0, pin: pin, fill: 0x0F).exclusiveOr(accountNumber)
    }

    /// Format 2, 8 bytes: the PIN for the card's own verification, not bound to a PAN.
    ///
    /// - Throws: ``PINBlockError/pinLength(_:)``, ``PINBlockError/notDigits``
    public static func formatTwo(pin: borrowing SensitiveBytes) throws(PINBlockError) -> SensitiveBytes {
        try field(control: 2, pin: pin, fill: 0x0F)
    }

    /// The PIN in a format 0 block.
    ///
    /// - Throws: ``PINBlockError/malformed``
    public static func pin(
        formatZero block: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) throws(PINBlockError) -> SensitiveBytes {
        var accountNumber = accountNumberPart(pan)
        defer { accountNumber.wipe() }
        return try pin(in: block.exclusiveOr(accountNumber), control: 0, fill: 0x0F)
    }

    /// The PIN in a format 2 block.
    ///
    /// - Throws: ``PINBlockError/malformed``
    public static func pin(formatTwo block: borrowing SensitiveBytes) throws(PINBlockError) -> SensitiveBytes {
        try pin(in: block, control: 2, fill: 0x0F)
    }

    /// Control nibble, length nibble, PIN and fill: 8 bytes.
    static func field(
        control: UInt8, pin: borrowing SensitiveBytes, fill: UInt8
    ) throws(PINBlockError) -> SensitiveBytes {
        guard (4...12).contains(pin.count) else { throw .pinLength(pin.count) }
        var nibbles = [control, UInt8(pin.count)] + pin.withUnsafeBytes { [UInt8]($0) }
        defer { nibbles.wipe() }
        guard nibbles.dropFirst(2).allSatisfy({ $0 <= 9 }) else { throw .notDigits }
        nibbles.append(contentsOf: repeatElement(fill, count: 16 - nibbles.count))
        var bytes = packed(nibbles)
        return SensitiveBytes(wiping: &bytes)
    }

    /// Reads what ``field(control:pin:fill:)`` makes.
    static func pin(
        in block: borrowing SensitiveBytes, control: UInt8, fill: UInt8
    ) throws(PINBlockError) -> SensitiveBytes {
        guard block.count == 8 else { throw .malformed }
        var nibbles = block.withUnsafeBytes { $0.flatMap { [$0 >> 4, $0 & 0x0F] } }
        defer { nibbles.wipe() }
        let count = Int(nibbles[1])
        guard nibbles[0] == control, (4...12).contains(count),
            nibbles[2..<2 + count].allSatisfy({ $0 <= 9 }), nibbles[(2 + count)...].allSatisfy({ $0 == fill })
        else { throw .malformed }
        return SensitiveBytes(nibbles[2..<2 + count])
    }

    /// Two nibbles a byte.
    static func packed(_ nibbles: [UInt8]) -> [UInt8] {
        stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    private static func accountNumberPart(_ pan: borrowing PrimaryAccountNumber) -> [UInt8] {
        pan.withDigits { digits in
            let kept = [UInt8](digits.dropLast().suffix(12))
            return packed([UInt8](repeating: 0, count: 16 - kept.count) + kept)
        }
    }
}
