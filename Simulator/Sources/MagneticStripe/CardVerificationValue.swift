internal import CardSecrets
internal import Cryptography

/// The value by which an issuer knows the stripe of its own card (CVV or CVC 1): three digits over account, expiry and
/// service code, by the method of Visa and Mastercard that manuals of security modules describe (IBM ICSF, "CVV
/// generate").
enum CardVerificationValue {
    /// - Parameters:
    ///   - digits: the digits of the PAN, one a byte with values 0...9.
    ///   - expiry: YYMM in BCD, two bytes.
    ///   - serviceCode: three digits.
    ///   - key: both halves of the issuer's key, 16 bytes.
    /// - Returns: three digits, one a byte with values 0...9.
    /// - Throws: a failure of libcrypto.
    static func compute(
        _ digits: some Collection<UInt8>, expiry: [UInt8], serviceCode: UInt16, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> [UInt8] {
        let date = expiry.flatMap { [$0 >> 4, $0 & 0x0F] }
        let code = [serviceCode / 100 % 10, serviceCode / 10 % 10, serviceCode % 10].map { UInt8($0) }
        // 32 digits: a PAN of 19 leaves room for all of it.
        var data = Array(digits) + date + code
        data += [UInt8](repeating: 0, count: max(0, 32 - data.count))
        var blocks = stride(from: 0, to: 32, by: 2).map { data[$0] << 4 | data[$0 + 1] }
        defer {
            data.wipe()
            blocks.wipe()
        }
        let first = key.withUnsafeBytes { SensitiveBytes($0.prefix(8)) }
        var chained = try TripleDES.encrypt(Array(blocks.prefix(8)), key: first)
        defer { chained.wipe() }
        for (place, byte) in blocks.suffix(8).enumerated() { chained[place] ^= byte }
        let nibbles = try TripleDES.encrypt(chained, key: key).flatMap { [$0 >> 4, $0 & 0x0F] }
        // Decimal digits first, then the letters as digits.
        return Array((nibbles.filter { $0 <= 9 } + nibbles.filter { $0 > 9 }.map { $0 - 10 }).prefix(3))
    }
}
