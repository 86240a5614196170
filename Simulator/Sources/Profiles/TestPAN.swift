internal import CardSecrets
internal import SettingsFile

/// Reads the PAN of a profile. Profiles lie on disk, so a number that could be somebody's is refused.
enum TestPAN {
    /// The beginnings of numbers that schemes and processors have published for tests, and of the range
    /// that ISO/IEC 7812-1 leaves to national standards bodies.
    private static let prefixes = [
        "400000", "401288", "411111", "424242", "450644", "476173", "222300", "520082", "541333", "555555", "679999",
        "374245", "378282", "601100", "305693", "362272", "353011", "356600", "620000", "622126", "628000", "9",
    ]

    /// - Returns: the digits, one a byte with values 0...9.
    /// - Throws: `SettingsError`, which never quotes the number.
    static func read(_ node: SettingsNode) throws(SettingsError) -> SealedBytes {
        let text = try node.concealed.text()
        var digits = text.utf8.map { $0 &- 0x30 }
        defer { digits.wipe() }
        guard digits.allSatisfy({ $0 <= 9 }), (8...19).contains(digits.count) else {
            throw node.error("a PAN has 8 to 19 digits and nothing else")
        }
        guard prefixes.contains(where: { text.hasPrefix($0) }) else {
            throw node.error(
                "the PAN is not a known test number",
                fix: "use one that begins with " + prefixes.joined(separator: ", "))
        }
        guard let pan = Self.number(digits), pan.hasValidCheckDigit else {
            throw node.error("the check digit of the PAN is wrong", fix: "see ISO/IEC 7812-1 annex B")
        }
        return SealedBytes(digits)
    }

    /// The number with these digits, one a byte.
    static func number(_ digits: some Collection<UInt8>) -> PrimaryAccountNumber? {
        var packed = pack(digits)
        defer { packed.wipe() }
        return try? PrimaryAccountNumber(compressedNumeric: packed)
    }

    /// Two digits a byte, filled with F on the right.
    static func pack(_ nibbles: some Collection<UInt8>) -> [UInt8] {
        var packed: [UInt8] = []
        var high: UInt8?
        for nibble in nibbles {
            if let first = high {
                packed.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        if let high { packed.append(high << 4 | 0x0F) }
        return packed
    }
}
