/// An answer to reset (ISO/IEC 7816-3 §8): what the card says of itself and of its protocols.
public struct ATR: Hashable, Sendable {
    /// How the card codes bits on the line (TS). Readers decode: the bytes here are plain ones either way.
    public enum Convention: Hashable, Sendable { case direct, inverse }

    /// TAi, TBi, TCi and TDi for one i.
    public struct InterfaceBytes: Hashable, Sendable {
        /// i, 1...
        public let index: Int
        /// T of TD(i-1), to which the bytes of i > 2 belong; nil for i = 1.
        public let transmissionProtocol: UInt8?
        public let ta: UInt8?
        public let tb: UInt8?
        public let tc: UInt8?
        public let td: UInt8?
    }

    /// The whole answer, TS first, TCK last if there is one.
    public let bytes: [UInt8]
    public let convention: Convention
    /// Groups 1, 2, ... as far as the TD bytes announce them. There is always a group 1.
    public let interfaceBytes: [InterfaceBytes]
    /// T1...TK, 0...15 bytes.
    public let historicalBytes: [UInt8]
    /// TCK; nil when only T=0 is offered.
    public let checkByte: UInt8?

    /// TS and at most 32 bytes behind it.
    public static let maximumLength = 33

    /// Reads an answer to reset.
    ///
    /// - Throws: ``ATRError``
    public init(_ bytes: [UInt8]) throws(ATRError) {
        guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes.count) }
        var reader = Reader(bytes)
        guard let initial = bytes.first else { throw .empty }
        switch try reader.next() {
        case 0x3B: convention = .direct
        case 0x3F: convention = .inverse
        default: throw .invalidInitialCharacter(initial)
        }
        let format = try reader.next()
        var groups: [InterfaceBytes] = []
        var announced: UInt8? = format
        var transmissionProtocol: UInt8?
        while let presence = announced {
            func present(_ bit: UInt8) throws(ATRError) -> UInt8? { presence & bit == 0 ? nil : try reader.next() }
            let group = InterfaceBytes(
                index: groups.count + 1, transmissionProtocol: transmissionProtocol, ta: try present(0x10),
                tb: try present(0x20), tc: try present(0x40), td: try present(0x80))
            groups.append(group)
            announced = group.td
            transmissionProtocol = group.td.map { $0 & 0x0F }
        }
        var historical: [UInt8] = []
        for _ in 0..<(format & 0x0F) { historical.append(try reader.next()) }
        if groups.contains(where: { ($0.td ?? 0) & 0x0F != 0 }) {
            checkByte = try reader.next()
            guard bytes[1..<reader.offset].reduce(0, ^) == 0 else {
                throw .wrongCheckByte(offset: reader.offset - 1)
            }
        } else {
            checkByte = nil
        }
        guard reader.offset == bytes.count else { throw .trailingBytes(offset: reader.offset) }
        (self.bytes, interfaceBytes, historicalBytes) = (bytes, groups, historical)
    }

    private struct Reader {
        let bytes: [UInt8]
        private(set) var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() throws(ATRError) -> UInt8 {
            guard offset < bytes.count else { throw .truncated(offset: offset) }
            defer { offset += 1 }
            return bytes[offset]
        }
    }
}
