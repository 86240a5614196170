/// A primary account number (tag 5A, DE 2): 8 to 19 decimal digits, kept as secret bytes.
public struct PrimaryAccountNumber: ~Copyable, Sendable {
    /// One digit a byte, 0...9.
    private let digits: SensitiveBytes

    /// Reads the compressed numeric form of tag 5A: two digits a byte, padded with F on the right.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(compressedNumeric bytes: some Collection<UInt8>) throws(PrimaryAccountNumberError) {
        var nibbles = Self.nibbles(of: bytes)
        defer { nibbles.wipe() }
        try self.init(nibbles: nibbles[...])
    }

    /// Reads the PAN from track 2 equivalent data (tag 57): the digits before the separator D.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(trackTwo bytes: some Collection<UInt8>) throws(PrimaryAccountNumberError) {
        var nibbles = Self.nibbles(of: bytes)
        defer { nibbles.wipe() }
        guard let separator = nibbles.firstIndex(of: 0x0D) else { throw .noFieldSeparator }
        // The padding of tag 5A is not allowed before the separator.
        guard !nibbles[..<separator].contains(0x0F) else { throw .notDigits }
        try self.init(nibbles: nibbles[..<separator])
    }

    /// Reads ASCII digits, as a magnetic stripe reader delivers them, without padding.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(digits characters: some Collection<UInt8>) throws(PrimaryAccountNumberError) {
        let copy = SensitiveBytes(characters)
        self = try copy.withUnsafeBytes { (bytes) throws(PrimaryAccountNumberError) in
            try PrimaryAccountNumber(digits: bytes)
        }
    }

    /// Reads ASCII digits where they are in memory, without padding.
    ///
    /// - Throws: ``PrimaryAccountNumberError``
    public init(digits characters: UnsafeRawBufferPointer) throws(PrimaryAccountNumberError) {
        for character in characters where !(0x30...0x39).contains(character) { throw .notDigits }
        guard (8...19).contains(characters.count) else { throw .wrongLength(characters.count) }
        digits = SensitiveBytes(count: characters.count) { buffer in
            for place in buffer.indices { buffer[place] = characters[place] & 0x0F }
        }
    }

    private static func nibbles(of bytes: some Collection<UInt8>) -> [UInt8] {
        var nibbles: [UInt8] = []
        nibbles.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            nibbles.append(byte >> 4)
            nibbles.append(byte & 0x0F)
        }
        return nibbles
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

    /// The part that can be shown.
    public var masked: MaskedPAN? {
        MaskedPAN(lastFour: lastFour, digitCount: digitCount)
    }

    /// The last four digits.
    public var lastFour: String {
        digits.withUnsafeBytes { buffer in
            String(decoding: buffer.suffix(4).map { $0 + 0x30 }, as: UTF8.self)
        }
    }

    /// Whether the check digit is valid (ISO/IEC 7812-1 annex B).
    public var hasValidCheckDigit: Bool {
        digits.withUnsafeBytes { CheckDigit.isValid($0) }
    }

    /// Passes the digits, one a byte with values 0...9, to `body` for the duration of the call.
    public borrowing func withDigits<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try digits.withUnsafeBytes(body)
    }

    /// Whether both are the same number.
    public borrowing func isEqual(to other: borrowing PrimaryAccountNumber) -> Bool {
        digits.isEqual(to: other.digits)
    }

    /// Returns a copy in separate memory.
    public borrowing func duplicate() -> PrimaryAccountNumber {
        PrimaryAccountNumber(digits: digits.duplicate())
    }

    private init(digits: consuming SensitiveBytes) { self.digits = digits }
}

/// The reason why bytes are not a primary account number. It contains no digit of them.
public enum PrimaryAccountNumberError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A nibble is neither a digit nor trailing padding.
    case notDigits
    /// The number of digits is not 8...19.
    case wrongLength(Int)
    /// Track 2 equivalent data without the separator D.
    case noFieldSeparator

    public var description: String {
        switch self {
        case .notDigits: "the card's account number contains something other than digits"
        case .wrongLength(let count): "the card's account number has \(count) digits: 8 to 19 are allowed"
        case .noFieldSeparator: "the card's track 2 data has no field separator"
        }
    }
}

/// The part of a primary account number that can be shown and stored: the last four digits and the length.
public struct MaskedPAN: Hashable, Sendable, CustomStringConvertible {
    /// The last four digits.
    public let lastFour: String
    /// The number of digits of the whole PAN, 8...19.
    public let digitCount: Int

    /// Nil unless `lastFour` is exactly four decimal digits and `digitCount` is 8...19.
    public init?(lastFour: String, digitCount: Int) {
        guard lastFour.utf8.count == 4, lastFour.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            (8...19).contains(digitCount)
        else { return nil }
        (self.lastFour, self.digitCount) = (lastFour, digitCount)
    }

    /// The masked number as printed on a receipt, for example `************0010`.
    public var description: String { String(repeating: "*", count: digitCount - 4) + lastFour }
}

/// The first eight digits of a primary account number, which name its issuer (the BIN, ISO/IEC 7812-1).
///
/// It is in memory only, to choose the host of a payment: neither its description nor its mirror has a digit, and it
/// has no other form.
public struct CardPrefix: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of digits.
    public static let digitCount = 8

    private let value: UInt32

    public init(_ pan: borrowing PrimaryAccountNumber) {
        // A primary account number has eight digits or more.
        value = pan.withDigits { digits in
            digits.prefix(Self.digitCount).reduce(UInt32(0)) { $0 * 10 + UInt32($1) }
        }
    }

    /// Whether the digits, as a number, are in a range of 0...99,999,999.
    public func isIn(_ range: ClosedRange<UInt32>) -> Bool { range.contains(value) }

    public var description: String { "CardPrefix(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
