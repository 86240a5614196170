import Text

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

    /// Parses a request or a response.
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

    /// Returns the rate that this request and the card's response agree on: that of PPS1 if the response echoes it, the
    /// initial rate if the response omits it.
    ///
    /// - Returns: nil when the response does not match the request; reset the card then.
    public func agreedRate(_ response: ProtocolParameterSelection) -> TransmissionRate? {
        guard response.transmissionProtocol == transmissionProtocol,
            response.pps1 == nil || response.pps1 == pps1,
            response.pps2 == nil || response.pps2 == pps2,
            response.pps3 == nil || response.pps3 == pps3
        else { return nil }
        return response.pps1.map { TransmissionRate(rateByte: $0) } ?? .initial
    }
}

/// F and D: how many clock cycles an elementary time unit (etu) takes, F / D (ISO/IEC 7816-3 §7.1).
public struct TransmissionRate: Hashable, Sendable {
    /// F, the clock rate conversion integer.
    public let clockRateConversion: Int
    /// D, the baud rate adjustment integer.
    public let baudRateAdjustment: Int

    /// F = 372, D = 1: the rate during the answer to reset and until another one is negotiated.
    public static let initial = TransmissionRate(clockRateConversion: 372, baudRateAdjustment: 1)

    private init(clockRateConversion: Int, baudRateAdjustment: Int) {
        (self.clockRateConversion, self.baudRateAdjustment) = (clockRateConversion, baudRateAdjustment)
    }

    /// Decodes FI (high nibble) and DI (low nibble) of TA1 or PPS1; nil for values reserved for future use.
    public init?(rateByte: UInt8) {
        guard let f = Self.conversions[rateByte >> 4], let d = Self.adjustments[rateByte & 0x0F] else { return nil }
        self.init(clockRateConversion: f, baudRateAdjustment: d)
    }

    private static let conversions: [UInt8: Int] = [
        0: 372, 1: 372, 2: 558, 3: 744, 4: 1116, 5: 1488, 6: 1860, 9: 512, 10: 768, 11: 1024, 12: 1536, 13: 2048,
    ]
    private static let adjustments: [UInt8: Int] = [1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 7: 64, 8: 12, 9: 20]

    /// Returns the duration of `count` elementary time units at the card's clock. A clock below 1 Hz counts as 1 Hz.
    public func time(units count: Int, clockHertz: Int) -> Duration {
        Duration.seconds(count * clockRateConversion) / (max(1, clockHertz) * baudRateAdjustment)
    }
}

/// Why bytes are not a valid PPS request or response, and at which offset.
public enum PPSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte is not FF.
    case invalidInitialCharacter(UInt8)
    /// b8 of PPS0 is set.
    case reservedFormat(UInt8)
    /// The bytes end before an announced byte.
    case truncated(offset: Int)
    /// Bytes after PCK.
    case trailingBytes(offset: Int)
    /// The exclusive or of all bytes is not zero.
    case wrongCheckByte(offset: Int)

    public var description: String {
        switch self {
        case .invalidInitialCharacter(let byte): "PPS begins with \([byte].hexadecimal) instead of FF (offset 0)"
        case .reservedFormat(let byte): "PPS with reserved format byte \([byte].hexadecimal) (offset 1)"
        case .truncated(let offset): "PPS ends early, at offset \(offset)"
        case .trailingBytes(let offset): "PPS with bytes after its end, at offset \(offset)"
        case .wrongCheckByte(let offset): "PPS with a wrong check byte PCK at offset \(offset)"
        }
    }
}
