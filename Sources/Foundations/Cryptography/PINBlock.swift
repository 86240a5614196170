public import CardSecrets

/// Clear PIN blocks (ISO 9564-1). A PIN is 4...12 digits, one a byte with values 0...9.
///
/// Format 4 has no useful clear form; see ``EncipheredFormatFourPINBlock``.
public enum PINBlock {
    /// Returns a format 0 block, 8 bytes: the PIN, exclusive-or the twelve rightmost digits of the PAN without its
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

    /// Returns a format 2 block, 8 bytes: the PIN for offline verification by the card, not bound to a PAN.
    ///
    /// - Throws: ``PINBlockError/pinLength(_:)``, ``PINBlockError/notDigits``
    public static func formatTwo(pin: borrowing SensitiveBytes) throws(PINBlockError) -> SensitiveBytes {
        try field(control: 2, pin: pin, fill: 0x0F)
    }

    /// Returns the PIN in a format 0 block.
    ///
    /// - Throws: ``PINBlockError/malformed``
    public static func pin(
        formatZero block: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) throws(PINBlockError) -> SensitiveBytes {
        var accountNumber = accountNumberPart(pan)
        defer { accountNumber.wipe() }
        return try pin(in: block.exclusiveOr(accountNumber), control: 0, fill: 0x0F)
    }

    /// Returns the PIN in a format 2 block.
    ///
    /// - Throws: ``PINBlockError/malformed``
    public static func pin(formatTwo block: borrowing SensitiveBytes) throws(PINBlockError) -> SensitiveBytes {
        try pin(in: block, control: 2, fill: 0x0F)
    }

    /// Control nibble, length nibble, PIN and padding: 8 bytes.
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

    /// Reads the result of ``field(control:pin:fill:)``.
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

/// Enciphered format 4 PIN blocks (ISO 9564-1): the PIN with random padding under AES, bound to the PAN between two
/// encipherments.
public enum EncipheredFormatFourPINBlock {
    /// Enciphers a PIN of 4...12 digits to 16 bytes. The key has 16, 24 or 32 bytes; `random` has 8.
    ///
    /// - Throws: ``PINBlockError``, except ``PINBlockError/malformed``.
    public static func encipher(
        pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber, random: [UInt8],
        key: borrowing SensitiveBytes
    ) throws(PINBlockError) -> [UInt8] {
        let plain = try plainField(pin: pin, random: random)
        do throws(CryptographyError) {
            let bound = bind(try AES.encrypt(plain, key: key), to: pan)
            return try AES.encrypt(bound, key: key).withUnsafeBytes { [UInt8]($0) }
        } catch {
            throw .cryptography(error)
        }
    }

    /// Returns the PIN in a block of 16 bytes.
    ///
    /// - Throws: ``PINBlockError/malformed``, ``PINBlockError/cryptography(_:)``
    public static func pin(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, key: borrowing SensitiveBytes
    ) throws(PINBlockError) -> SensitiveBytes {
        guard block.count == AES.blockLength else { throw .malformed }
        let plain: SensitiveBytes
        do throws(CryptographyError) {
            let bound = bind(try AES.decrypt(SensitiveBytes(block), key: key), to: pan)
            plain = try AES.decrypt(bound, key: key)
        } catch {
            throw .cryptography(error)
        }
        return try Self.pin(plainField: plain)
    }

    /// Returns the field of the PIN before its first encipherment, 16 bytes; `random` has 8.
    ///
    /// - Throws: ``PINBlockError/pinLength(_:)``, ``PINBlockError/notDigits``, ``PINBlockError/randomLength(_:)``
    public static func plainField(
        pin: borrowing SensitiveBytes, random: [UInt8]
    ) throws(PINBlockError) -> SensitiveBytes {
        guard random.count == 8 else { throw .randomLength(random.count) }
        return SensitiveBytes(
            joining: try PINBlock.field(control: 4, pin: pin, fill: 0x0A), SensitiveBytes(random))
    }

    /// Returns the PIN in the field after the last decipherment.
    ///
    /// - Throws: ``PINBlockError/malformed``
    public static func pin(plainField: borrowing SensitiveBytes) throws(PINBlockError) -> SensitiveBytes {
        guard plainField.count == AES.blockLength else { throw .malformed }
        return try PINBlock.pin(in: plainField.part(0..<8), control: 4, fill: 0x0A)
    }

    /// Binds a field between its two encipherments to the account number, or frees it.
    public static func bind(
        _ field: borrowing SensitiveBytes, to pan: borrowing PrimaryAccountNumber
    ) -> SensitiveBytes {
        var accountNumber = accountNumberField(pan)
        defer { accountNumber.wipe() }
        return field.exclusiveOr(accountNumber)
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

/// The reason why a PIN block could not be made or read. It contains no digit of the PIN.
public enum PINBlockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The PIN has this number of digits instead of 4...12.
    case pinLength(Int)
    /// The PIN has bytes other than 0...9.
    case notDigits
    /// The block does not match the format: wrong key, wrong PAN, or not a PIN block.
    case malformed
    /// The random padding has this number of bytes instead of eight.
    case randomLength(Int)
    /// A key of the wrong length, or libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .pinLength(let count): "a PIN of \(count) digits: it must have 4 to 12"
        case .notDigits: "a PIN with something else than digits"
        case .malformed: "not a PIN block: the key or the account number is another one"
        case .randomLength(let count): "a PIN block takes 8 random bytes, not \(count)"
        case .cryptography(let error): error.description
        }
    }
}
