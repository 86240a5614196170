/// Why bytes are no PPS request or response, and at which offset.
public enum PPSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte is not FF.
    case invalidInitialCharacter(UInt8)
    /// b8 of PPS0 is set.
    case reservedFormat(UInt8)
    /// The bytes end where another one is announced.
    case truncated(offset: Int)
    /// Bytes behind PCK.
    case trailingBytes(offset: Int)
    /// The exclusive or of all bytes is not zero.
    case wrongCheckByte(offset: Int)

    public var description: String {
        switch self {
        case .invalidInitialCharacter(let byte): "PPS begins with \(HexText.encode([byte])) instead of FF (offset 0)"
        case .reservedFormat(let byte): "PPS with reserved format byte \(HexText.encode([byte])) (offset 1)"
        case .truncated(let offset): "PPS ends early, at offset \(offset)"
        case .trailingBytes(let offset): "PPS with bytes behind its end, at offset \(offset)"
        case .wrongCheckByte(let offset): "PPS with a wrong check byte PCK at offset \(offset)"
        }
    }
}
