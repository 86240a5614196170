/// The bytes between the frame's length and the message type.
public enum HeaderFormat: Hashable, Sendable {
    case none
    case tpdu(TPDU, swapsInAnswers: Bool)
    /// Always these bytes.
    case fixed([UInt8])

    /// The number of bytes.
    public var count: Int {
        switch self {
        case .none: 0
        case .tpdu: TPDU.count
        case .fixed(let bytes): bytes.count
        }
    }

    /// The header of a request.
    public var bytes: [UInt8] {
        switch self {
        case .none: []
        case .tpdu(let tpdu, _): tpdu.bytes
        case .fixed(let bytes): bytes
        }
    }

    /// Returns the header of the answer to a request with this header: a TPDU with its addresses swapped, if the
    /// dialect does so; the same bytes otherwise.
    public func answer(to header: [UInt8]) -> [UInt8] {
        guard case .tpdu(_, true) = self, let tpdu = TPDU(header) else { return header }
        return tpdu.swapped.bytes
    }

    /// Checks the header of an answer.
    ///
    /// - Throws: ``MessageRule/headerNotSwapped`` or ``MessageRule/wrongHeader``
    public func check(_ answer: [UInt8], answers request: [UInt8]) throws(MessageError) {
        guard answer != self.answer(to: request) else { return }
        if case .tpdu = self { throw MessageError(.header, at: 0, .headerNotSwapped) }
        throw MessageError(.header, at: 0, .wrongHeader)
    }

    /// Returns whether these bytes can be a header of the dialect, of a request or of an answer.
    func accepts(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == count else { return false }
        switch self {
        case .none: return true
        case .tpdu(let tpdu, _): return bytes[0] == tpdu.identifier
        case .fixed(let expected): return expected.indices.allSatisfy { bytes[$0] == expected[$0] }
        }
    }
}

/// The transport header of terminal networks: an identifier and two addresses, five bytes.
public struct TPDU: Hashable, Sendable {
    /// The number of bytes.
    public static let count = 5

    /// `0x60` for transactions.
    public var identifier: UInt8
    /// The address of the receiver, four packed digits: a network identifier (NII) in requests.
    public var destination: UInt16
    /// The address of the sender, four packed digits.
    public var source: UInt16

    public init(identifier: UInt8 = 0x60, destination: UInt16, source: UInt16) {
        (self.identifier, self.destination, self.source) = (identifier, destination, source)
    }

    /// Reads exactly five bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.init(
            identifier: bytes[0], destination: UInt16(bytes[1]) << 8 | UInt16(bytes[2]),
            source: UInt16(bytes[3]) << 8 | UInt16(bytes[4]))
    }

    public var bytes: [UInt8] {
        [
            identifier, UInt8(destination >> 8), UInt8(destination & 0xFF), UInt8(source >> 8), UInt8(source & 0xFF),
        ]
    }

    /// The same with its addresses swapped, as an answer has it.
    public var swapped: TPDU { TPDU(identifier: identifier, destination: source, source: destination) }
}
