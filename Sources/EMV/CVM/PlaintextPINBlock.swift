internal import CardSecrets

/// A PIN block of format 2, the one that a card verifies (ISO 9564-1; EMV Book 3 §6.5.12): control 2, the
/// number of digits, the digits, and F up to eight bytes.
enum PlaintextPINBlock {
    /// - Parameter pin: 4...12 digits, one a byte with values 0...9.
    /// - Returns: eight bytes, which the caller wipes; nil when the PIN is none.
    static func make(_ pin: borrowing SensitiveBytes) -> [UInt8]? {
        pin.withUnsafeBytes { digits in
            guard (4...12).contains(digits.count), digits.allSatisfy({ $0 <= 9 }) else { return nil }
            var block = [UInt8](repeating: 0xFF, count: 8)
            block[0] = 0x20 | UInt8(digits.count)
            for (position, digit) in digits.enumerated() {
                let index = 1 + position / 2
                block[index] = position.isMultiple(of: 2) ? digit << 4 | 0x0F : block[index] & 0xF0 | digit
            }
            return block
        }
    }
}
