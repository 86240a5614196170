/// One T=1 block (ISO/IEC 7816-3 §11.3): node address, control byte and information, between
/// them its length, behind them the error detection code.
public struct T1Block: Hashable, Sendable {
    /// LRC: one byte, the exclusive or of all others. CRC: two bytes, of ISO/IEC 13239. EMV has LRC only.
    public enum ErrorDetection: Hashable, Sendable { case lrc, crc }

    /// What an R-block says of the block that it answers.
    public enum Acknowledgement: UInt8, Hashable, Sendable {
        case correct = 0
        /// Wrong EDC or a parity error.
        case checkError = 1
        case otherError = 2
    }

    /// What an S-block is about.
    public enum Control: UInt8, Hashable, Sendable {
        case resynchronisation = 0
        case informationFieldSize = 1
        case abort = 2
        case waitingTimeExtension = 3
    }

    /// A block by its control byte. Sequence numbers are 0 or 1.
    public enum Kind: Hashable, Sendable {
        /// I-block with N(S) and the M bit: more of the chain follows.
        case information(sequence: UInt8, more: Bool)
        /// R-block with N(R), the number of the I-block that is expected.
        case receiveReady(expecting: UInt8, Acknowledgement)
        case request(Control)
        case response(Control)

        /// The protocol control byte.
        var controlByte: UInt8 {
            switch self {
            case .information(let sequence, let more): (sequence & 1) << 6 | (more ? 0x20 : 0)
            case .receiveReady(let expecting, let acknowledgement):
                0x80 | (expecting & 1) << 4 | acknowledgement.rawValue
            case .request(let control): 0xC0 | control.rawValue
            case .response(let control): 0xE0 | control.rawValue
            }
        }
    }

    /// The most bytes that an information field holds.
    public static let maximumInformation = 254

    /// Node address: 00 in EMV.
    public let nad: UInt8
    /// Protocol control byte.
    public let pcb: UInt8
    /// 0...254 bytes.
    public let information: [UInt8]

    public init(nad: UInt8 = 0, pcb: UInt8, information: [UInt8] = []) {
        (self.nad, self.pcb, self.information) = (nad, pcb, information)
    }

    /// A block of node 00.
    public init(_ kind: Kind, information: [UInt8] = []) {
        self.init(pcb: kind.controlByte, information: information)
    }

    /// What the control byte says; nil for one that ISO/IEC 7816-3 keeps for future use.
    public var kind: Kind? {
        switch pcb {
        case 0x00...0x7F:
            pcb & 0x1F == 0 ? .information(sequence: pcb >> 6, more: pcb & 0x20 != 0) : nil
        case 0x80...0xBF:
            pcb & 0x20 != 0
                ? nil : Acknowledgement(rawValue: pcb & 0x0F).map { .receiveReady(expecting: pcb >> 4 & 1, $0) }
        default:
            Control(rawValue: pcb & 0x1F).map { pcb & 0x20 == 0 ? .request($0) : .response($0) }
        }
    }

    /// The block on the line. Information beyond 254 bytes does not fit a block and is left out.
    public func encoded(_ errorDetection: ErrorDetection) -> [UInt8] {
        Self.encode(nad, pcb, information[...], errorDetection)
    }

    /// A block of node 00 on the line. No other copy of its information is made on the way.
    static func encoded(
        _ kind: Kind, information: some Collection<UInt8>, _ errorDetection: ErrorDetection
    ) -> [UInt8] {
        encode(0, kind.controlByte, information, errorDetection)
    }

    private static func encode(
        _ nad: UInt8, _ pcb: UInt8, _ information: some Collection<UInt8>, _ errorDetection: ErrorDetection
    ) -> [UInt8] {
        let information = information.prefix(maximumInformation)
        var bytes: [UInt8] = []
        // An array that grows leaves what it held behind, which may be a PIN.
        bytes.reserveCapacity(3 + information.count + 2)
        bytes += [nad, pcb, UInt8(information.count)]
        bytes += information
        bytes += check(bytes, errorDetection)
        return bytes
    }

    /// Reads a block, whatever the bytes.
    ///
    /// - Throws: ``T1BlockError``. ``T1BlockError/wrongCheck`` comes before any doubt about the content.
    public init(_ bytes: [UInt8], errorDetection: ErrorDetection) throws(T1BlockError) {
        let checkCount = errorDetection == .lrc ? 1 : 2
        guard bytes.count >= 3 + checkCount else { throw .tooShort(bytes.count) }
        let actual = bytes.count - 3 - checkCount
        guard Int(bytes[2]) == actual else { throw .wrongLength(announced: Int(bytes[2]), actual: actual) }
        guard Array(bytes.suffix(checkCount)) == Self.check(Array(bytes.dropLast(checkCount)), errorDetection)
        else { throw .wrongCheck }
        guard bytes[2] != 0xFF else { throw .reservedLength }
        guard bytes[0] == 0 else { throw .unsupportedNodeAddress(bytes[0]) }
        self.init(nad: bytes[0], pcb: bytes[1], information: Array(bytes[3..<(3 + actual)]))
        guard let kind else { throw .invalidControlByte(pcb) }
        let isValid =
            switch kind {
            // A link of a chain without information would let a chain go on for ever.
            case .information(_, let more): !more || actual > 0
            case .receiveReady, .request(.resynchronisation), .request(.abort), .response(.resynchronisation),
                .response(.abort):
                actual == 0
            case .request(.informationFieldSize), .response(.informationFieldSize):
                actual == 1 && (1...254).contains(information[0])
            case .request(.waitingTimeExtension), .response(.waitingTimeExtension):
                actual == 1 && information[0] > 0
            }
        guard isValid else { throw .invalidInformation(controlByte: pcb, count: actual) }
    }

    private static func check(_ bytes: [UInt8], _ errorDetection: ErrorDetection) -> [UInt8] {
        switch errorDetection {
        case .lrc: [bytes.reduce(0, ^)]
        case .crc: crc(bytes)
        }
    }
}
