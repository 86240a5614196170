/// Why bytes are not an answer to reset, and at which offset. TS has offset 0.
public enum ATRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No byte at all.
    case empty
    /// The first byte is neither 3B nor 3F.
    case invalidInitialCharacter(UInt8)
    /// The bytes end where another one is announced.
    case truncated(offset: Int)
    /// More than 33 bytes.
    case tooLong(Int)
    /// TCK is there and the exclusive or from T0 on is not zero.
    case wrongCheckByte(offset: Int)
    /// Bytes behind the end; also a TCK where only T=0 is offered.
    case trailingBytes(offset: Int)

    /// Where it is; TS has offset 0.
    public var offset: Int {
        switch self {
        case .empty, .invalidInitialCharacter: 0
        case .truncated(let offset), .wrongCheckByte(let offset), .trailingBytes(let offset): offset
        case .tooLong: ATR.maximumLength
        }
    }

    public var description: String {
        switch self {
        case .empty: "the card sent no answer to reset"
        case .invalidInitialCharacter(let byte):
            "answer to reset begins with \(HexText.encode([byte])) instead of 3B or 3F (offset 0)"
        case .truncated(let offset): "answer to reset ends early, at offset \(offset)"
        case .tooLong(let count): "answer to reset of \(count) bytes: at most 33 are allowed"
        case .wrongCheckByte(let offset): "answer to reset with a wrong check byte TCK at offset \(offset)"
        case .trailingBytes(let offset): "answer to reset with bytes behind its end, at offset \(offset)"
        }
    }
}
