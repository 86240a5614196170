/// A command to a card: header, data and the number of bytes wanted back (ISO/IEC 7816-4 §5.1).
public struct CommandAPDU: Hashable, Sendable {
    public let cla: UInt8
    public let ins: UInt8
    public let p1: UInt8
    public let p2: UInt8
    /// Command data, 0...65,535 bytes. Nc is its length.
    public let data: [UInt8]
    /// Ne, 1...65,536: the most bytes of response data wanted; nil when none are expected.
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

    /// The encoded command: 4 bytes of header, then Lc, data and Le as the case asks.
    public var bytes: [UInt8] {
        let (start, end) = (bytesBeforeData, bytesAfterData)
        var bytes: [UInt8] = []
        // An array that grows leaves what it held behind, which may be a PIN.
        bytes.reserveCapacity(start.count + data.count + end.count)
        bytes += start
        bytes += data
        bytes += end
        return bytes
    }

    /// The header, and Lc where there is data.
    var bytesBeforeData: [UInt8] {
        let header = [cla, ins, p1, p2]
        guard !data.isEmpty else { return header }
        return header + (isExtended ? [0, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] : [UInt8(data.count)])
    }

    /// Le where data is expected.
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
