/// Why bytes are not BER-TLV, and at which offset of the input. Carries no value.
public enum BERTLVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end inside a tag, a length or a value.
    case truncated(offset: Int)
    /// A tag of more than four bytes.
    case tagTooLong(offset: Int)
    /// A length of more than three bytes, or the indefinite form, which EMV does not allow.
    case invalidLength(offset: Int)
    /// Templates nested deeper than the limit.
    case tooDeep(offset: Int)
    /// More bytes than the limit.
    case tooLarge(offset: Int)

    /// Where it is, counted from the first byte of the input.
    public var offset: Int {
        switch self {
        case .truncated(let offset), .tagTooLong(let offset), .invalidLength(let offset), .tooDeep(let offset),
            .tooLarge(let offset):
            offset
        }
    }

    public var description: String {
        switch self {
        case .truncated(let offset): "BER-TLV data ends early, at offset \(offset)"
        case .tagTooLong(let offset): "tag of more than four bytes at offset \(offset)"
        case .invalidLength(let offset): "invalid length at offset \(offset)"
        case .tooDeep(let offset): "templates nested too deep at offset \(offset)"
        case .tooLarge(let offset): "more data than allowed at offset \(offset)"
        }
    }
}
