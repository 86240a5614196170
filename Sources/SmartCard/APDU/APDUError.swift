/// Why bytes are not a command or a response. Carries lengths, never content.
public enum APDUError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than 65,535 bytes of command data.
    case dataTooLong(Int)
    /// Ne outside 1...65,536.
    case invalidExpectedLength(Int)
    /// Fewer than the four bytes of a header.
    case commandTooShort(Int)
    /// Lc and Le do not fit the number of bytes.
    case inconsistentLength(Int)
    /// A response without its status word.
    case responseTooShort(Int)
    /// A response longer than 65,538 bytes.
    case responseTooLong(Int)

    public var description: String {
        switch self {
        case .dataTooLong(let count): "\(count) bytes of command data: at most 65535 fit"
        case .invalidExpectedLength(let length): "expected length \(length) is not in 1...65536"
        case .commandTooShort(let count): "a command of \(count) bytes has no header"
        case .inconsistentLength(let count): "Lc and Le do not fit a command of \(count) bytes"
        case .responseTooShort(let count): "a response of \(count) bytes has no status word"
        case .responseTooLong(let count): "a response of \(count) bytes is longer than 65538"
        }
    }
}
