/// A PPS request or response (ISO/IEC 7816-3 §9): FF, PPS0, up to three parameters, PCK.
public struct ProtocolParameterSelection: Hashable, Sendable {
    /// T, 0...15.
    public let transmissionProtocol: UInt8
    /// PPS1: FI and DI, as in TA1.
    public let pps1: UInt8?
    /// PPS2: standard or proprietary use of contact C6.
    public let pps2: UInt8?
    /// PPS3: reserved.
    public let pps3: UInt8?

    /// Only the low four bits of `transmissionProtocol` count.
    public init(transmissionProtocol: UInt8, pps1: UInt8? = nil, pps2: UInt8? = nil, pps3: UInt8? = nil) {
        self.transmissionProtocol = transmissionProtocol & 0x0F
        (self.pps1, self.pps2, self.pps3) = (pps1, pps2, pps3)
    }

    /// The encoded request or response, 3...6 bytes.
    public var bytes: [UInt8] {
        let presence: UInt8 = (pps1 == nil ? 0 : 0x10) | (pps2 == nil ? 0 : 0x20) | (pps3 == nil ? 0 : 0x40)
        let bytes = [0xFF, presence | transmissionProtocol] + [pps1, pps2, pps3].compactMap { $0 }
        return bytes + [bytes.reduce(0, ^)]
    }

    /// Reads a request or a response.
    ///
    /// - Throws: ``PPSError``
    public init(bytes: [UInt8]) throws(PPSError) {
        guard bytes.count >= 3 else { throw .truncated(offset: bytes.count) }
        guard bytes[0] == 0xFF else { throw .invalidInitialCharacter(bytes[0]) }
        let format = bytes[1]
        guard format & 0x80 == 0 else { throw .reservedFormat(format) }
        var rest = bytes[2...]
        func present(_ bit: UInt8) -> UInt8? { format & bit == 0 ? nil : rest.popFirst() }
        let parameters = (present(0x10), present(0x20), present(0x40))
        let count = 3 + (format & 0x70).nonzeroBitCount
        guard bytes.count >= count else { throw .truncated(offset: bytes.count) }
        guard bytes.count == count else { throw .trailingBytes(offset: count) }
        guard bytes.reduce(0, ^) == 0 else { throw .wrongCheckByte(offset: count - 1) }
        self.init(
            transmissionProtocol: format & 0x0F, pps1: parameters.0, pps2: parameters.1, pps3: parameters.2)
    }

    /// The rate that this request and the card's response agree on: the one of PPS1 when the response
    /// echoes it, the initial one when it leaves it out.
    ///
    /// - Returns: nil when the response agrees to something else; the card is then to be reset.
    public func agreedRate(_ response: ProtocolParameterSelection) -> TransmissionRate? {
        guard response.transmissionProtocol == transmissionProtocol,
            response.pps1 == nil || response.pps1 == pps1,
            response.pps2 == nil || response.pps2 == pps2,
            response.pps3 == nil || response.pps3 == pps3
        else { return nil }
        return response.pps1.map { TransmissionRate(rateByte: $0) } ?? .initial
    }
}
