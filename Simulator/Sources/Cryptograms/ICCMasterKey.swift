public import CardSecrets
internal import Cryptography

/// The keys of one card, derived from its issuer's (EMV Book 2 annex A1.4).
public enum ICCMasterKey {
    /// How PAN and PAN sequence number are turned into a block.
    public enum Option: Hashable, Sendable {
        /// The sixteen rightmost digits of PAN and sequence number (annex A1.4.1).
        case a
        /// Decimal digits of a SHA-1 over them when the PAN has more than 16 digits, else as option A
        /// (annex A1.4.2).
        case b
        /// All digits of them in a block of 16 bytes, for AES (annex A1.4.3).
        case c
    }

    /// Derives the master key of the card with this PAN and PAN sequence number, as long as the
    /// issuer's: 16 bytes for triple DES; 16, 24 or 32 bytes for AES. DES keys have odd parity.
    ///
    /// A card without a sequence number counts as 00.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func derive(
        issuerMasterKey: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber, panSequenceNumber: UInt8?,
        option: Option = .a
    ) throws(CryptogramError) -> SensitiveBytes {
        let sequenceNumber = (panSequenceNumber ?? 0) % 100
        var digits = pan.withDigits { [UInt8]($0) } + [sequenceNumber / 10, sequenceNumber % 10]
        defer { digits.wipe() }
        switch option {
        case .c: return try aesKey(issuerMasterKey, block: packed(digits, count: 32))
        case .b where pan.digitCount > 16:
            var even = digits.count.isMultiple(of: 2) ? digits : [0] + digits
            even = packed(even, count: even.count)
            defer { even.wipe() }
            let hash = try cryptographically { () throws(CryptographyError) in try SHA1.hash(even) }
            return try desKey(issuerMasterKey, block: packed(decimalized(hash), count: 16))
        case .a, .b: return try desKey(issuerMasterKey, block: packed(digits, count: 16))
        }
    }

    private static func desKey(
        _ issuerMasterKey: borrowing SensitiveBytes, block: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        var derived = try cryptographically { () throws(CryptographyError) in
            try TripleDES.encrypt(block + block.map { ~$0 }, key: issuerMasterKey)
        }
        derived.setOddParity()
        return SensitiveBytes(wiping: &derived)
    }

    private static func aesKey(
        _ issuerMasterKey: borrowing SensitiveBytes, block: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        var derived = try cryptographically { () throws(CryptographyError) in
            try AES.encrypt(block + block.map { ~$0 }, key: issuerMasterKey)
        }
        defer { derived.wipe() }
        return SensitiveBytes(derived.prefix(issuerMasterKey.count))
    }

    /// The rightmost `count` digits, filled with zeros on the left, two a byte.
    private static func packed(_ digits: [UInt8], count: Int) -> [UInt8] {
        let fill = [UInt8](repeating: 0, count: max(0, count - digits.count))
        let kept = fill + digits.suffix(count)
        return stride(from: 0, to: kept.count - 1, by: 2).map { kept[$0] << 4 | kept[$0 + 1] }
    }

    /// The first sixteen decimal digits of the hexadecimal form; if there are fewer, the letters A...F
    /// follow as 0...5.
    private static func decimalized(_ hash: [UInt8]) -> [UInt8] {
        let nibbles = hash.flatMap { [$0 >> 4, $0 & 0x0F] }
        let digits = nibbles.filter { $0 <= 9 } + nibbles.filter { $0 > 9 }.map { $0 - 10 }
        return Array(digits.prefix(16))
    }
}

extension [UInt8] {
    /// Makes the number of ones in every byte odd by its lowest bit, as DES keys have it.
    mutating func setOddParity() {
        for index in indices where self[index].nonzeroBitCount.isMultiple(of: 2) { self[index] ^= 1 }
    }
}
