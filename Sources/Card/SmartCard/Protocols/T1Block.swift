import Text

/// One T=1 block (ISO/IEC 7816-3 §11.3): node address, control byte, length, information field, error detection code.
public struct T1Block: Hashable, Sendable {
    /// The error detection code. LRC: one byte, the exclusive or of all others. CRC: two bytes, ISO/IEC 13239. EMV uses
    /// LRC only.
    public enum ErrorDetection: Hashable, Sendable { case lrc, crc }

    /// The acknowledgment that an R-block carries.
    public enum Acknowledgment: UInt8, Hashable, Sendable {
        case correct = 0
        /// Wrong EDC or a parity error.
        case checkError = 1
        case otherError = 2
    }

    /// The function of an S-block.
    public enum Control: UInt8, Hashable, Sendable {
        case resynchronization = 0
        case informationFieldSize = 1
        case abort = 2
        case waitingTimeExtension = 3
    }

    /// The kind of a block, from its control byte. Sequence numbers are 0 or 1.
    public enum Kind: Hashable, Sendable {
        /// I-block with N(S) and the M bit: more of the chain follows.
        case information(sequence: UInt8, more: Bool)
        /// R-block with N(R), the sequence number of the expected I-block.
        case receiveReady(expecting: UInt8, Acknowledgment)
        case request(Control)
        case response(Control)

        /// The protocol control byte.
        var controlByte: UInt8 {
            switch self {
            case .information(let sequence, let more): (sequence & 1) << 6 | (more ? 0x20 : 0)
            case .receiveReady(let expecting, let acknowledgment):
                0x80 | (expecting & 1) << 4 | acknowledgment.rawValue
            case .request(let control): 0xC0 | control.rawValue
            case .response(let control): 0xE0 | control.rawValue
            }
        }
    }

    /// The maximum length of an information field, in bytes.
    public static let maximumInformation = 254

    /// Node address: 00 in EMV.
    public let nad: UInt8
    /// Protocol control byte.
    public let pcb: UInt8
    /// 0...254 bytes.
    public let information: [UInt8]

    /// Builds a block. Its length byte and its error detection code follow from these when it is encoded.
    public init(nad: UInt8 = 0, pcb: UInt8, information: [UInt8] = []) {
        (self.nad, self.pcb, self.information) = (nad, pcb, information)
    }

    /// A block of node 00.
    public init(_ kind: Kind, information: [UInt8] = []) {
        self.init(pcb: kind.controlByte, information: information)
    }

    /// The kind of the block; nil for a control byte that ISO/IEC 7816-3 reserves for future use.
    public var kind: Kind? {
        switch pcb {
        case 0x00...0x7F:
            pcb & 0x1F == 0 ? .information(sequence: pcb >> 6, more: pcb & 0x20 != 0) : nil
        case 0x80...0xBF:
            pcb & 0x20 != 0
                ? nil : Acknowledgment(rawValue: pcb & 0x0F).map { .receiveReady(expecting: pcb >> 4 & 1, $0) }
        default:
            Control(rawValue: pcb & 0x1F).map { pcb & 0x20 == 0 ? .request($0) : .response($0) }
        }
    }

    /// Returns the encoded block. Information beyond 254 bytes does not fit and is dropped.
    public func encoded(_ errorDetection: ErrorDetection) -> [UInt8] {
        Self.encode(nad, pcb, information[...], errorDetection)
    }

    /// Returns an encoded block of node 00 without making another copy of the information, which may hold a PIN.
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
        // Reserve first: an array that grows leaves its old contents in memory, and they may be a PIN.
        bytes.reserveCapacity(3 + information.count + 2)
        bytes += [nad, pcb, UInt8(information.count)]
        bytes += information
        bytes += check(bytes, errorDetection)
        return bytes
    }

    /// Parses a block from arbitrary bytes.
    ///
    /// - Throws: ``T1BlockError``. ``T1BlockError/wrongCheck`` takes precedence over errors in the content.
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
            // An empty block in a chain would let the chain go on forever.
            case .information(_, let more): !more || actual > 0
            case .receiveReady, .request(.resynchronization), .request(.abort), .response(.resynchronization),
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

extension T1Block {
    /// Returns the cyclic redundancy check of ISO/IEC 13239 (CRC-16/X-25), least significant byte first.
    static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var register: UInt16 = 0xFFFF
        for byte in bytes {
            register ^= UInt16(byte)
            for _ in 0..<8 {
                register = register & 1 == 1 ? register >> 1 ^ 0x8408 : register >> 1
            }
        }
        register = ~register
        return [UInt8(register & 0xFF), UInt8(register >> 8)]
    }
}

/// Why bytes are not a valid T=1 block.
public enum T1BlockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer bytes than prologue and epilogue need.
    case tooShort(Int)
    /// LEN, the third byte, announces another number of bytes.
    case wrongLength(announced: Int, actual: Int)
    /// LEN is FF, which is reserved for future use.
    case reservedLength
    /// The error detection code does not match.
    case wrongCheck
    /// A node address other than 00, the only one in EMV (Book 1 §9.2.4.1.1).
    case unsupportedNodeAddress(UInt8)
    /// PCB, the second byte, is not that of an I-, R-, or S-block.
    case invalidControlByte(UInt8)
    /// The information field has the wrong length or value for this kind of block.
    case invalidInformation(controlByte: UInt8, count: Int)

    public var description: String {
        switch self {
        case .tooShort(let count): "\(count) bytes are too few for a T=1 block"
        case .wrongLength(let announced, let actual):
            "T=1 block announces \(announced) bytes of information (offset 2) and has \(actual)"
        case .reservedLength: "T=1 block with the reserved length FF (offset 2)"
        case .wrongCheck: "T=1 block with a wrong error detection code"
        case .unsupportedNodeAddress(let address): "T=1 block for node \([address].hexadecimal) (offset 0)"
        case .invalidControlByte(let byte): "T=1 block with control byte \([byte].hexadecimal) (offset 1)"
        case .invalidInformation(let byte, let count):
            "T=1 block \([byte].hexadecimal) with \(count) bytes of information (offset 2)"
        }
    }
}
