public import CardSecrets
import Cryptography

/// Derivation of a card's master keys from its issuer's (EMV Book 2 annex A1.4).
public enum ICCMasterKey {
    /// How PAN and PAN sequence number are combined into a block.
    public enum Option: Hashable, Sendable {
        /// The 16 rightmost digits of PAN and sequence number (annex A1.4.1).
        case a
        /// Decimalized SHA-1 over both if the PAN has more than 16 digits, otherwise option A (annex A1.4.2).
        case b
        /// All digits in a 16-byte block, for AES (annex A1.4.3).
        case c
    }

    /// Derives the master key of the card with this PAN and PAN sequence number. It is as long as the issuer's: 16
    /// bytes for triple DES; 16, 24, or 32 bytes for AES. DES keys have odd parity.
    ///
    /// A missing sequence number counts as 00.
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

    /// Returns the rightmost `count` digits, left-padded with zeros, two per byte.
    private static func packed(_ digits: [UInt8], count: Int) -> [UInt8] {
        let fill = [UInt8](repeating: 0, count: max(0, count - digits.count))
        let kept = fill + digits.suffix(count)
        return stride(from: 0, to: kept.count - 1, by: 2).map { kept[$0] << 4 | kept[$0 + 1] }
    }

    /// Returns the first 16 decimal digits of the hexadecimal form; if there are fewer, the letters A...F follow as
    /// 0...5.
    private static func decimalized(_ hash: [UInt8]) -> [UInt8] {
        let nibbles = hash.flatMap { [$0 >> 4, $0 & 0x0F] }
        let digits = nibbles.filter { $0 <= 9 } + nibbles.filter { $0 > 9 }.map { $0 - 10 }
        return Array(digits.prefix(16))
    }
}

extension [UInt8] {
    /// Sets odd parity in the lowest bit of every byte, as DES keys require.
    mutating func setOddParity() {
        for index in indices where self[index].nonzeroBitCount.isMultiple(of: 2) { self[index] ^= 1 }
    }
}

/// Derivation of session keys from an ICC master key.
public enum SessionKey {
    /// Derives the EMV common session key of an application cryptogram, diversified by the ATC (EMV Book 2 annex
    /// A1.3).
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func common(
        masterKey: borrowing SensitiveBytes, atc: UInt16, cipher: CryptogramVersion.Cipher = .tripleDES
    ) throws(CryptogramError) -> SensitiveBytes {
        try derive(masterKey: masterKey, diversifier: atc.bigEndianBytes, cipher: cipher)
    }

    /// Derives Mastercard's proprietary session key, diversified by ATC and unpredictable number (4 bytes).
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func mastercard(
        masterKey: borrowing SensitiveBytes, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        try derive(masterKey: masterKey, diversifier: atc.bigEndianBytes + [0, 0] + unpredictableNumber)
    }

    /// The branch factor of the EMV 2000 key tree. The tree is as high as needed for a key per ATC: 16 levels of two,
    /// or 8 levels of four.
    public enum TreeBranches: Int, Hashable, Sendable, CaseIterable {
        case two = 2
        case four = 4

        /// The number of ATC bits that select a branch.
        fileprivate var bits: Int { self == .two ? 1 : 2 }
    }

    /// Derives the EMV 2000 session key (EMV 4.1 Book 2 annex A1.3; specification update bulletin 46 replaced it by
    /// the common session key): the leaf of a key tree selected by the ATC. `masterKey` has 16 bytes; the initial
    /// vector is zero.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func tree(
        masterKey: borrowing SensitiveBytes, atc: UInt16, branches: TreeBranches = .four
    ) throws(CryptogramError) -> SensitiveBytes {
        var parent = masterKey.withUnsafeBytes { [UInt8]($0) }
        var grandparent = [UInt8](repeating: 0, count: parent.count)
        defer {
            parent.wipe()
            grandparent.wipe()
        }
        let height = UInt16.bitWidth / branches.bits
        for level in 1...height {
            let way = UInt8(Int(atc) >> ((height - level) * branches.bits) & (branches.rawValue - 1))
            var child = grandparent
            for (index, mask) in [(TripleDES.blockLength - 1, way), (child.count - 1, way ^ 0xF0)]
            where child.indices.contains(index) { child[index] ^= mask }
            let above = child
            let key = SensitiveBytes(parent)
            child = try cryptographically { () throws(CryptographyError) in try TripleDES.encrypt(above, key: key) }
            if level == height {
                for index in child.indices { child[index] ^= grandparent[index] }
            }
            (grandparent, parent) = (parent, child)
        }
        parent.setOddParity()
        return SensitiveBytes(parent)
    }

    /// Derives a key by the formula of EMV Book 2 annex A1.3. The diversifier is cut or right-padded with zeros to
    /// one block: 8 bytes for triple DES, 16 bytes for AES.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func derive(
        masterKey: borrowing SensitiveBytes, diversifier: [UInt8], cipher: CryptogramVersion.Cipher = .tripleDES
    ) throws(CryptogramError) -> SensitiveBytes {
        switch cipher {
        case .tripleDES:
            let (left, right) = halves(diversifier, blockLength: TripleDES.blockLength)
            var derived = try cryptographically { () throws(CryptographyError) in
                try TripleDES.encrypt(left + right, key: masterKey)
            }
            derived.setOddParity()
            return SensitiveBytes(wiping: &derived)
        case .aes:
            // One block makes a key of 16 bytes; a longer key takes two blocks, distinguished as for triple DES.
            let (left, right) = halves(diversifier, blockLength: AES.blockLength)
            let input =
                masterKey.count == AES.blockLength ? block(diversifier, blockLength: AES.blockLength) : left + right
            var derived = try cryptographically { () throws(CryptographyError) in
                try AES.encrypt(input, key: masterKey)
            }
            defer { derived.wipe() }
            return SensitiveBytes(derived.prefix(masterKey.count))
        }
    }

    /// Derives Visa's script key: the master key XOR a block with the ATC in the last two bytes of its left half and
    /// the complement in those of its right half.
    static func visaScript(masterKey: borrowing SensitiveBytes, atc: UInt16) -> SensitiveBytes {
        let zeros = [UInt8](repeating: 0, count: 6)
        return masterKey.exclusiveOr(zeros + atc.bigEndianBytes + zeros + (~atc).bigEndianBytes)
    }

    private static func block(_ diversifier: [UInt8], blockLength: Int) -> [UInt8] {
        diversifier.prefix(blockLength) + [UInt8](repeating: 0, count: max(0, blockLength - diversifier.count))
    }

    private static func halves(_ diversifier: [UInt8], blockLength: Int) -> (left: [UInt8], right: [UInt8]) {
        var left = block(diversifier, blockLength: blockLength)
        var right = left
        (left[2], right[2]) = (0xF0, 0x0F)
        return (left, right)
    }
}

extension FixedWidthInteger {
    /// The bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
