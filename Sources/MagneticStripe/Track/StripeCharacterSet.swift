/// The two character sets of magnetic stripes (ISO/IEC 7811-6): a few data bits, the lowest first, and a bit that
/// makes the number of ones odd.
public enum StripeCharacterSet: Hashable, Sendable {
    /// Six data bits: ASCII 20 to 5F.
    case alphanumeric
    /// Four data bits: ASCII 30 to 3F.
    case numeric

    /// Bits of a character without the parity bit.
    public var dataBits: Int { self == .alphanumeric ? 6 : 4 }

    /// The ASCII character that all data bits zero stand for.
    public var base: UInt8 { self == .alphanumeric ? 0x20 : 0x30 }

    /// What begins a track: `%` or `;`.
    public var startSentinel: UInt8 { self == .alphanumeric ? 0x25 : 0x3B }

    /// What ends a track: `?`.
    public var endSentinel: UInt8 { 0x3F }

    /// What stands between the fields of a track: `^` or `=`.
    public var separator: UInt8 { self == .alphanumeric ? 0x5E : 0x3D }

    /// Whether an ASCII character belongs to the set.
    func contains(_ character: UInt8) -> Bool { (base..<base + (1 << UInt8(dataBits))).contains(character) }

    /// Reads the lowest ``dataBits`` bits of `bits` and the parity bit above them.
    ///
    /// - Returns: the character in ASCII; nil when the parity is even.
    func character(_ bits: UInt8) -> UInt8? {
        let width = UInt8(dataBits)
        let bits = bits & (1 << (width + 1) - 1)
        return bits.nonzeroBitCount.isMultiple(of: 2) ? nil : base + (bits & (1 << width - 1))
    }
}
