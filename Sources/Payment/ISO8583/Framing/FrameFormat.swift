/// How messages are separated on a connection.
public struct FrameFormat: Hashable, Sendable {
    /// How the length is written.
    public enum LengthForm: String, CaseIterable, Hashable, Sendable {
        /// Big endian.
        case binary
        /// Packed decimal digits.
        case bcd
        /// Decimal digits.
        case ascii
        /// Hexadecimal digits.
        case hexAscii
        /// None: a trailer ends the message.
        case none
    }

    /// What the length counts.
    public enum Counted: String, CaseIterable, Hashable, Sendable {
        /// Header and message.
        case body
        /// Header, message, and the length itself.
        case withItself
    }

    public enum LongitudinalCheck: String, CaseIterable, Hashable, Sendable {
        case none
        /// One byte behind the trailer: all bytes behind the prefix up to and with the trailer, combined by exclusive
        /// or.
        case xorFromSTX
    }

    public var lengthForm = LengthForm.binary
    /// The bytes of the length.
    public var lengthBytes = 2
    public var counts = Counted.body
    /// The bytes of the length that stand for the number, from its left; the others are zero. Nil for all.
    public var lengthUsed: Int?
    /// Whether the zeros stand in front of the number instead of behind it.
    public var zerosFirst = false
    /// Fixed bytes before everything, for example STX.
    public var prefix: [UInt8] = []
    /// Fixed bytes behind the message, for example ETX.
    public var trailer: [UInt8] = []
    public var check = LongitudinalCheck.none
    /// Whether a length of zero is a keep-alive and no error.
    public var allowsKeepAlive = false
    /// The greatest number of bytes of header and message.
    public var maximumLength = 4096

    public init() {}

    /// The bytes before the message.
    var headLength: Int { prefix.count + (lengthForm == .none ? 0 : lengthBytes) }
    /// The bytes behind the message.
    var tailLength: Int { trailer.count + (check == .none ? 0 : 1) }

    /// The longest body that the length can count.
    public var longestBody: Int {
        let own = counts == .withItself ? lengthBytes : 0
        let digits = lengthUsed ?? lengthBytes
        let largest: Int =
            switch lengthForm {
            case .binary: Self.power(256, digits)
            case .bcd: Self.power(100, digits)
            case .ascii: Self.power(10, digits)
            case .hexAscii: Self.power(16, digits)
            case .none: Int.max
            }
        return lengthForm == .none ? maximumLength : min(maximumLength, largest - 1 - own)
    }

    private static func power(_ base: Int, _ exponent: Int) -> Int {
        (0..<min(exponent, 7)).reduce(1) { power, _ in power * base }
    }

    /// Puts header and message into a frame.
    ///
    /// - Returns: the bytes; nil when the body is longer than the frame can be, or when it has the trailer of a frame
    ///   without a length.
    public func frame(_ body: [UInt8]) -> [UInt8]? {
        guard body.count <= longestBody else { return nil }
        guard lengthForm != .none || !body.contains(where: { $0 == trailer.first }) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headLength + body.count + tailLength)
        bytes += prefix
        append(length: body.count + (counts == .withItself ? lengthBytes : 0), to: &bytes)
        bytes += body
        bytes += trailer
        if check == .xorFromSTX { bytes.append(bytes.dropFirst(prefix.count).reduce(0, ^)) }
        return bytes
    }

    /// A frame without a message, which keeps a connection alive; nil when the dialect has none.
    public var keepAlive: [UInt8]? {
        guard allowsKeepAlive, lengthForm != .none else { return nil }
        var bytes = prefix
        append(length: counts == .withItself ? lengthBytes : 0, to: &bytes)
        bytes += trailer
        if check == .xorFromSTX { bytes.append(bytes.dropFirst(prefix.count).reduce(0, ^)) }
        return bytes
    }

    private func append(length: Int, to bytes: inout [UInt8]) {
        let used = lengthUsed ?? lengthBytes
        let zero: UInt8 = lengthForm == .ascii || lengthForm == .hexAscii ? 0x30 : 0
        let zeros = repeatElement(zero, count: max(0, lengthBytes - used))
        if zerosFirst { bytes += zeros }
        for place in (0..<used).reversed() {
            switch lengthForm {
            case .binary: bytes.append(UInt8(truncatingIfNeeded: length >> (8 * place)))
            case .bcd:
                let two = length / Self.power(100, place) % 100
                bytes.append(UInt8((two / 10) << 4 | two % 10))
            case .ascii: bytes.append(0x30 + UInt8(length / Self.power(10, place) % 10))
            case .hexAscii: bytes.append(UInt8.hexadecimalDigit(UInt8(length >> (4 * place) & 0xF)))
            case .none: break
            }
        }
        if lengthForm != .none, !zerosFirst { bytes += zeros }
    }
}
