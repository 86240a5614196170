/// A command to a card: header, data, and the expected response length (ISO/IEC 7816-4 §5.1).
public struct CommandAPDU: Hashable, Sendable {
    public let cla: UInt8
    public let ins: UInt8
    public let p1: UInt8
    public let p2: UInt8
    /// Command data, 0...65,535 bytes. Nc is its length.
    public let data: [UInt8]
    /// Ne, 1...65,536: the maximum number of response data bytes; nil when the command expects none.
    public let expectedLength: Int?

    /// - Throws: ``APDUError/dataTooLong(_:)``, ``APDUError/invalidExpectedLength(_:)``
    public init(
        cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8], expectedLength: Int?
    ) throws(APDUError) {
        guard data.count <= 65_535 else { throw .dataTooLong(data.count) }
        if let expectedLength, !(1...65_536).contains(expectedLength) {
            throw .invalidExpectedLength(expectedLength)
        }
        self.init(cla, ins, p1, p2, unchecked: data, expectedLength)
    }

    /// A command of cases 1 and 2 short: no data.
    ///
    /// `le` is the Le byte, 0 meaning 256 bytes; nil when no data is expected.
    public init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, le: UInt8? = nil) {
        self.init(cla, ins, p1, p2, unchecked: [], le.map { $0 == 0 ? 256 : Int($0) })
    }

    private init(
        _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, unchecked data: [UInt8], _ expectedLength: Int?
    ) {
        (self.cla, self.ins, self.p1, self.p2) = (cla, ins, p1, p2)
        (self.data, self.expectedLength) = (data, expectedLength)
    }

    /// Whether the lengths need the extended form (three and two length bytes).
    public var isExtended: Bool { data.count > 255 || (expectedLength ?? 0) > 256 }

    /// The encoded command: 4 header bytes, then Lc, data, and Le as the case requires.
    public var bytes: [UInt8] {
        let (start, end) = (bytesBeforeData, bytesAfterData)
        var bytes: [UInt8] = []
        // Reserve first: an array that grows leaves its old contents in memory, and they may be a PIN.
        bytes.reserveCapacity(start.count + data.count + end.count)
        bytes += start
        bytes += data
        bytes += end
        return bytes
    }

    /// The header, followed by Lc if there is data.
    var bytesBeforeData: [UInt8] {
        let header = [cla, ins, p1, p2]
        guard !data.isEmpty else { return header }
        return header + (isExtended ? [0, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] : [UInt8(data.count)])
    }

    /// Le if the command expects data.
    var bytesAfterData: [UInt8] {
        guard let expectedLength else { return [] }
        guard isExtended else { return [UInt8(expectedLength & 0xFF)] }
        return (data.isEmpty ? [0] : []) + [UInt8(expectedLength >> 8 & 0xFF), UInt8(expectedLength & 0xFF)]
    }

    /// Decodes a command of any of the four cases, short or extended.
    ///
    /// - Throws: ``APDUError``
    public init(bytes: [UInt8]) throws(APDUError) {
        guard bytes.count >= 4 else { throw .commandTooShort(bytes.count) }
        let header = (bytes[0], bytes[1], bytes[2], bytes[3])
        let body = bytes[4...]
        func make(_ data: ArraySlice<UInt8>, _ expectedLength: Int?) -> CommandAPDU {
            CommandAPDU(header.0, header.1, header.2, header.3, unchecked: Array(data), expectedLength)
        }
        guard let first = body.first else {
            self = make([], nil)
            return
        }
        if body.count == 1 {
            self = make([], first == 0 ? 256 : Int(first))
            return
        }
        if first != 0 {
            let data = body.dropFirst().prefix(Int(first))
            let rest = body.dropFirst(1 + Int(first))
            guard data.count == Int(first), rest.count <= 1 else { throw .inconsistentLength(bytes.count) }
            self = make(data, rest.first.map { $0 == 0 ? 256 : Int($0) })
            return
        }
        guard body.count >= 3 else { throw .inconsistentLength(bytes.count) }
        let length = Int(body[5]) << 8 | Int(body[6])
        if body.count == 3 {
            self = make([], length == 0 ? 65_536 : length)
            return
        }
        let data = body.dropFirst(3).prefix(length)
        let rest = Array(body.dropFirst(3 + length))
        guard length > 0, data.count == length, rest.isEmpty || rest.count == 2 else {
            throw .inconsistentLength(bytes.count)
        }
        guard rest.count == 2 else {
            self = make(data, nil)
            return
        }
        let expected = Int(rest[0]) << 8 | Int(rest[1])
        self = make(data, expected == 0 ? 65_536 : expected)
    }
}

/// Why bytes are not a valid command or response APDU. Contains lengths, never data.
public enum APDUError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than 65,535 bytes of command data.
    case dataTooLong(Int)
    /// Ne outside 1...65,536.
    case invalidExpectedLength(Int)
    /// Fewer than the four bytes of a header.
    case commandTooShort(Int)
    /// Lc and Le do not match the number of bytes.
    case inconsistentLength(Int)
    /// A response without its status word.
    case responseTooShort(Int)
    /// A response longer than 65,538 bytes.
    case responseTooLong(Int)

    public var description: String {
        switch self {
        case .dataTooLong(let count): "\(count) bytes of command data: the maximum is 65535"
        case .invalidExpectedLength(let length): "expected length \(length) is not in 1...65536"
        case .commandTooShort(let count): "a command of \(count) bytes has no header"
        case .inconsistentLength(let count): "Lc and Le do not match a command of \(count) bytes"
        case .responseTooShort(let count): "a response of \(count) bytes has no status word"
        case .responseTooLong(let count): "a response of \(count) bytes is longer than 65538"
        }
    }
}
