/// A recording of network traffic in the formats pcap and pcapng. Reading is total, and needs no access to a network.
public struct PacketCapture: Sendable {
    /// A packet as it was recorded.
    struct Packet {
        let linkType: Int
        let bytes: Range<Int>
    }

    /// The most packets that are read.
    static let mostPackets = 1_000_000
    /// The most interfaces of a pcapng section.
    private static let mostInterfaces = 1000

    let bytes: [UInt8]
    private(set) var packets: [Packet] = []

    /// Reads a recording.
    ///
    /// - Throws: ``PacketCaptureError`` when the bytes are in neither format. A recording that was cut is read up to
    ///   there.
    public init(_ bytes: [UInt8]) throws(PacketCaptureError) {
        self.bytes = bytes
        guard bytes.count >= 24 else { throw .notACapture }
        switch Self.word(bytes, 0, isBig: true) {
        case 0xA1B2_C3D4, 0xA1B2_3C4D: readClassic(isBig: true)
        case 0xD4C3_B2A1, 0x4D3C_B2A1: readClassic(isBig: false)
        case 0x0A0D_0D0A: try readBlocks()
        default: throw .notACapture
        }
    }

    /// Whether bytes begin as a recording does.
    public static func isCapture(_ bytes: some Collection<UInt8>) -> Bool {
        let start = Array(bytes.prefix(4))
        return [
            [0xA1, 0xB2, 0xC3, 0xD4], [0xA1, 0xB2, 0x3C, 0x4D], [0xD4, 0xC3, 0xB2, 0xA1], [0x4D, 0x3C, 0xB2, 0xA1],
            [0x0A, 0x0D, 0x0D, 0x0A],
        ].contains(start)
    }

    private static func word(_ bytes: [UInt8], _ at: Int, isBig: Bool) -> UInt32 {
        guard at >= 0, at + 4 <= bytes.count else { return 0 }
        let parts = (UInt32(bytes[at]), UInt32(bytes[at + 1]), UInt32(bytes[at + 2]), UInt32(bytes[at + 3]))
        return isBig
            ? parts.0 << 24 | parts.1 << 16 | parts.2 << 8 | parts.3
            : parts.3 << 24 | parts.2 << 16 | parts.1 << 8 | parts.0
    }

    private mutating func readClassic(isBig: Bool) {
        let linkType = Int(Self.word(bytes, 20, isBig: isBig) & 0x0FFF_FFFF)
        var at = 24
        while at + 16 <= bytes.count, packets.count < Self.mostPackets {
            let length = Int(Self.word(bytes, at + 8, isBig: isBig))
            let end = min(bytes.count, at + 16 + length)
            packets.append(Packet(linkType: linkType, bytes: at + 16..<end))
            at = at + 16 + length
        }
    }

    private mutating func readBlocks() throws(PacketCaptureError) {
        var (at, isBig): (Int, Bool) = (0, true)
        var linkTypes: [Int] = []
        while at + 12 <= bytes.count, packets.count < Self.mostPackets {
            if Self.word(bytes, at, isBig: true) == 0x0A0D_0D0A {
                isBig = Self.word(bytes, at + 8, isBig: true) == 0x1A2B_3C4D
                guard isBig || Self.word(bytes, at + 8, isBig: false) == 0x1A2B_3C4D else { throw .notACapture }
                linkTypes = []
            }
            let kind = Self.word(bytes, at, isBig: isBig)
            let length = Int(Self.word(bytes, at + 4, isBig: isBig))
            guard length >= 12, length.isMultiple(of: 4) else { return }
            let end = min(bytes.count, at + length - 4)
            switch kind {
            case 1 where linkTypes.count < Self.mostInterfaces:
                linkTypes.append(Int(Self.word(bytes, at + 8, isBig: isBig)) >> (isBig ? 16 : 0) & 0xFFFF)
            case 6:
                let interface = Int(Self.word(bytes, at + 8, isBig: isBig))
                let captured = Int(Self.word(bytes, at + 20, isBig: isBig))
                if linkTypes.indices.contains(interface), at + 28 <= end {
                    packets.append(
                        Packet(linkType: linkTypes[interface], bytes: at + 28..<min(end, at + 28 + captured)))
                }
            case 3:
                if let first = linkTypes.first, at + 12 <= end {
                    let original = Int(Self.word(bytes, at + 8, isBig: isBig))
                    packets.append(Packet(linkType: first, bytes: at + 12..<min(end, at + 12 + original)))
                }
            default: break
            }
            at += length
        }
    }
}

/// Why bytes are no recording of network traffic.
public enum PacketCaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    case notACapture

    public var description: String { "neither pcap nor pcapng" }
}
