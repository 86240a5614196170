/// Why bytes are not a CCID message. Carries lengths and field values, never content.
public enum CCIDMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer bytes than a header has (10; 2 for a notification).
    case tooShort(Int)
    /// dwLength (bytes 1-4) is not the number of bytes behind the header.
    case wrongLength(claimed: UInt32, actual: Int)
    /// bMessageType (byte 0) is none that is defined in this direction.
    case unknownType(UInt8)
    /// A field has a value that the specification does not define.
    case invalidField(name: String, offset: Int, value: UInt8)
    /// The data behind the header is not as long as this kind of message asks.
    case wrongDataLength(expected: Int, actual: Int)

    public var description: String {
        switch self {
        case .tooShort(let count): "a CCID message of \(count) bytes has no header"
        case .wrongLength(let claimed, let actual):
            "a CCID message claims \(claimed) bytes of data (dwLength, byte 1) and has \(actual)"
        case .unknownType(let type): "unknown CCID message type 0x\(String(type, radix: 16)) (byte 0)"
        case .invalidField(let name, let offset, let value):
            "\(name) (byte \(offset)) of a CCID message is 0x\(String(value, radix: 16))"
        case .wrongDataLength(let expected, let actual):
            "a CCID message has \(actual) bytes of data (from byte 10): \(expected) expected"
        }
    }
}
