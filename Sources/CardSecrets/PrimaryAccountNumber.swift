/// A primary account number (tag 5A, DE 2): 8 to 19 decimal digits, kept as secret bytes.
public struct PrimaryAccountNumber: ~Copyable, Sendable {
    /// One digit a byte, 0...9.
    private let digits: SensitiveBytes

    /// Reads the compressed numeric form of tag 5A: two digits a byte, filled with F on the right.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(compressedNumeric bytes: some Collection<UInt8>) throws(PrimaryAccountNumberError) {
        var nibbles: [UInt8] = []
        nibbles.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            nibbles.append(byte >> 4)
            nibbles.append(byte & 0x0F)
        }
        defer { for index in nibbles.indices { nibbles[index] = 0 } }
        try self.init(nibbles: nibbles[...])
    }

    /// Reads the PAN out of track 2 equivalent data (tag 57): the digits before the separator D.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(trackTwo bytes: some Collection<UInt8>) throws(PrimaryAccountNumberError) {
        var nibbles: [UInt8] = []
        nibbles.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            nibbles.append(byte >> 4)
            nibbles.append(byte & 0x0F)
        }
        defer { for index in nibbles.indices { nibbles[index] = 0 } }
        guard let separator = nibbles.firstIndex(of: 0x0D) else { throw .noFieldSeparator }
        // The fill of tag 5A has no place before the separator.
        guard !nibbles[..<separator].contains(0x0F) else { throw .notDigits }
        try self.init(nibbles: nibbles[..<separator])
    }

    /// Reads digits in ASCII, as a magnetic stripe's characters are delivered. There is no fill.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(digits characters: some Collection<UInt8>) throws(PrimaryAccountNumberError) {
        guard characters.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .notDigits }
        guard (8...19).contains(characters.count) else { throw .wrongLength(characters.count) }
        digits = SensitiveBytes(count: characters.count) { buffer in
            for (place, character) in zip(buffer.indices, characters) { buffer[place] = character & 0x0F }
        }
    }

    private init(nibbles: ArraySlice<UInt8>) throws(PrimaryAccountNumberError) {
        let count = nibbles.firstIndex(of: 0x0F) ?? nibbles.endIndex
        guard nibbles[count...].allSatisfy({ $0 == 0x0F }) else { throw .notDigits }
        guard nibbles[..<count].allSatisfy({ $0 <= 9 }) else { throw .notDigits }
        guard (8...19).contains(count) else { throw .wrongLength(count) }
        digits = SensitiveBytes(nibbles[..<count])
    }

    /// The number of digits, 8...19.
    public var digitCount: Int { digits.count }

    /// The part that may be shown.
    public var masked: MaskedPAN? {
        MaskedPAN(lastFour: lastFour, digitCount: digitCount)
    }

    /// The last four digits.
    public var lastFour: String {
        digits.withUnsafeBytes { buffer in
            String(decoding: buffer.suffix(4).map { $0 + 0x30 }, as: UTF8.self)
        }
    }

    /// Whether the check digit is right (ISO/IEC 7812-1 annex B).
    public var hasValidCheckDigit: Bool {
        digits.withUnsafeBytes { buffer in
            var sum = 0
            for (position, digit) in buffer.reversed().enumerated() {
                let weighted = position % 2 == 1 ? Int(digit) * 2 : Int(digit)
                sum += weighted > 9 ? weighted - 9 : weighted
            }
            return sum % 10 == 0
        }
    }

    /// Gives the digits, one a byte with values 0...9, to `body` for the length of the call.
    public borrowing func withDigits<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try digits.withUnsafeBytes(body)
    }

    /// Whether both are the same number.
    public borrowing func isEqual(to other: borrowing PrimaryAccountNumber) -> Bool {
        digits.isEqual(to: other.digits)
    }

    /// A second owner of the same number, in memory of its own.
    public borrowing func duplicate() -> PrimaryAccountNumber {
        PrimaryAccountNumber(digits: digits.duplicate())
    }

    private init(digits: consuming SensitiveBytes) { self.digits = digits }
}
