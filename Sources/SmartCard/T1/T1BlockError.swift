/// Why bytes are not a T=1 block.
public enum T1BlockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer bytes than prologue and epilogue take.
    case tooShort(Int)
    /// LEN, the third byte, announces another number of bytes.
    case wrongLength(announced: Int, actual: Int)
    /// LEN is FF, which is kept for future use.
    case reservedLength
    /// The error detection code does not match.
    case wrongCheck
    /// A node address other than 00: EMV has no others (Book 1 §9.2.4.1.1).
    case unsupportedNodeAddress(UInt8)
    /// PCB, the second byte, is none of an I-, R- or S-block.
    case invalidControlByte(UInt8)
    /// The information field is not as long as this kind of block has it.
    case invalidInformation(controlByte: UInt8, count: Int)

    public var description: String {
        switch self {
        case .tooShort(let count): "\(count) bytes are too few for a T=1 block"
        case .wrongLength(let announced, let actual):
            "T=1 block announces \(announced) bytes of information (offset 2) and has \(actual)"
        case .reservedLength: "T=1 block with the reserved length FF (offset 2)"
        case .wrongCheck: "T=1 block with a wrong error detection code"
        case .unsupportedNodeAddress(let address): "T=1 block for node \(HexText.encode([address])) (offset 0)"
        case .invalidControlByte(let byte): "T=1 block with control byte \(HexText.encode([byte])) (offset 1)"
        case .invalidInformation(let byte, let count):
            "T=1 block \(HexText.encode([byte])) with \(count) bytes of information (offset 2)"
        }
    }
}
