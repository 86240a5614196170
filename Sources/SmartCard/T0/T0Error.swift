/// Why a T=0 exchange failed. The card is to be deactivated: where it stands is unknown.
public enum T0Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// T=0 carries at most 255 bytes of data and asks for at most 256.
    case extendedLengthNotSupported
    /// An instruction 6X or 9X: on the line it could not be told from a status (ISO/IEC 7816-3 §10.3.2).
    case invalidInstruction(UInt8)
    /// A TPDU that is neither a header alone nor a header with P3 bytes of data; the number of its bytes.
    case invalidTPDU(Int)
    /// An answer of so many bytes has no status word.
    case answerTooShort(Int)
    /// More response data than the header asked for.
    case answerTooLong(expected: Int, actual: Int)
    /// A byte that is neither an acknowledgement of the instruction, nor NULL, nor a status.
    case invalidProcedureByte(UInt8)
    /// The card announces more data, another length or more time without an end.
    case tooManyExchanges

    public var description: String {
        switch self {
        case .extendedLengthNotSupported:
            "T=0 carries no extended length: send at most 255 bytes and ask for at most 256"
        case .invalidInstruction(let instruction):
            "instruction \(HexText.encode([instruction])) cannot be sent over T=0"
        case .invalidTPDU(let count): "a T=0 command of \(count) bytes does not fit its length byte P3"
        case .answerTooShort(let count): "the card's T=0 answer of \(count) bytes has no status word"
        case .answerTooLong(let expected, let actual):
            "the card's T=0 answer has \(actual) bytes of data where \(expected) were asked for"
        case .invalidProcedureByte(let byte): "the card sent \(HexText.encode([byte])), which is no T=0 procedure byte"
        case .tooManyExchanges: "the card does not come to an end of its T=0 answer"
        }
    }
}
