/// One T=1 block (ISO/IEC 7816-3 §11.3).
public struct T1Block: Hashable, Sendable {
    public enum ErrorDetection: Hashable, Sendable { case lrc, crc }

    public let nad: UInt8
    public let pcb: UInt8
    public let information: [UInt8]

    public init(nad: UInt8 = 0, pcb: UInt8, information: [UInt8] = []) {
        (self.nad, self.pcb, self.information) = (nad, pcb, information)
    }
}
