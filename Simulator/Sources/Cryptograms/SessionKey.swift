public import CardSecrets
internal import Cryptography

/// Session keys, derived from an ICC master key.
public enum SessionKey {
    /// The EMV common session key of an application cryptogram: diversified by the ATC (EMV Book 2
    /// annex A1.3).
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func common(
        masterKey: borrowing SensitiveBytes, atc: UInt16, cipher: CryptogramVersion.Cipher = .tripleDES
    ) throws(CryptogramError) -> SensitiveBytes {
        try derive(masterKey: masterKey, diversifier: atc.bigEndianBytes, cipher: cipher)
    }

    /// Mastercard's own session key: diversified by ATC and unpredictable number (4 bytes).
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func mastercard(
        masterKey: borrowing SensitiveBytes, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        try derive(masterKey: masterKey, diversifier: atc.bigEndianBytes + [0, 0] + unpredictableNumber)
    }

    /// How many keys every key of the tree of EMV 2000 has below it. The tree is as high as it takes to have
    /// a key for every counter: 16 levels of two, or 8 levels of four.
    public enum TreeBranches: Int, Hashable, Sendable, CaseIterable {
        case two = 2
        case four = 4

        /// Bits of the counter that choose the way down from a level to the next.
        fileprivate var bits: Int { self == .two ? 1 : 2 }
    }

    /// The session key of EMV 2000 (EMV 4.1 Book 2 annex A1.3; specification update bulletin 46 replaced it
    /// by the common session key): a leaf of a tree of keys, to which the ATC tells the way. `masterKey` has
    /// 16 bytes; the initial vector is zero.
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

    /// The formula of EMV Book 2 annex A1.3. The diversifier is cut or filled with zeros on the right
    /// to one block: 8 bytes for triple DES, 16 bytes for AES.
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
            // One block makes a key of 16 bytes; a longer one takes two, told apart as for triple DES.
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

    /// Visa's script key: the ATC in the last two bytes of the left half, its complement in those of
    /// the right half, exclusive-or the master key.
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
    /// The bytes, the most significant one first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
