/// Writes recordings of one TCP connection, without a network: for tests, and for tshark.
struct CaptureWriter {
    enum Format: Sendable { case pcap, swappedPcap, pcapng }

    private let format: Format
    private let link: Int
    private let isVersion6: Bool
    private(set) var bytes: [UInt8] = []
    /// The numbers of the next bytes of both directions.
    private var next: (UInt32, UInt32) = (1, 1)
    private var first: UInt32 = 0

    init(_ format: Format, link: Int = 101, isVersion6: Bool = false) {
        (self.format, self.link, self.isVersion6) = (format, link, isVersion6)
        switch format {
        case .pcap, .swappedPcap:
            bytes = word(0xA1B2_C3D4) + half(2) + half(4) + word(0) + word(0) + word(65_535) + word(UInt32(link))
        case .pcapng:
            bytes = word(0x0A0D_0D0A) + word(28) + word(0x1A2B_3C4D) + half(1) + half(0) + word(.max) + word(.max)
            bytes += word(28)
            bytes += word(1) + word(20) + half(UInt16(link)) + half(0) + word(65_535) + word(20)
        }
    }

    private func word(_ value: UInt32) -> [UInt8] {
        let bytes = [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
        return format == .pcap ? bytes : bytes.reversed()
    }

    private func half(_ value: UInt16) -> [UInt8] {
        let bytes = [UInt8(value >> 8), UInt8(value & 0xFF)]
        return format == .pcap ? bytes : bytes.reversed()
    }

    /// Adds a segment behind those that the same side sent before.
    mutating func send(_ payload: [UInt8], isAnswer: Bool = false) {
        add(payload, number: isAnswer ? next.1 : next.0, flags: 0x18, isAnswer)
        if isAnswer { next.1 += UInt32(payload.count) } else { next.0 += UInt32(payload.count) }
    }

    /// Adds the first segment of a connection.
    mutating func start(at number: UInt32) {
        first = number &+ 1
        add([], number: number, flags: 0x02, false)
    }

    /// Adds a segment at an offset in the stream.
    mutating func segment(_ text: String, at offset: UInt32) {
        add(Array(text.utf8), number: first &+ offset, flags: 0x18, false)
    }

    private mutating func add(_ payload: [UInt8], number: UInt32, flags: UInt8, _ isAnswer: Bool) {
        let ports: [UInt8] = [0x9C, 0x40, 0x21, 0x87]
        let end: [UInt8] = [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } + [0, 0, 0, 0, 0x50, flags, 0xFF, 0xFF]
        let head = (isAnswer ? Array(ports[2...]) + ports[..<2] : ports) + end + [0, 0, 0, 0]
        let packet = linkHead + network(head + payload, isAnswer)
        switch format {
        case .pcap, .swappedPcap:
            bytes += word(0) + word(0) + word(UInt32(packet.count)) + word(UInt32(packet.count)) + packet
        case .pcapng:
            let pad = (4 - packet.count % 4) % 4
            let length = UInt32(32 + packet.count + pad)
            bytes += word(6) + word(length) + word(0) + word(0) + word(0)
            bytes += word(UInt32(packet.count)) + word(UInt32(packet.count)) + packet
            bytes += [UInt8](repeating: 0, count: pad) + word(length)
        }
    }

    private func network(_ segment: [UInt8], _ isAnswer: Bool) -> [UInt8] {
        func address(_ last: UInt8) -> [UInt8] {
            isVersion6 ? [UInt8](repeating: 0, count: 15) + [last] : [10, 0, 0, last]
        }
        let ends = isAnswer ? address(2) + address(1) : address(1) + address(2)
        let length = segment.count + (isVersion6 ? 0 : 20)
        let size = [UInt8(length >> 8), UInt8(length & 0xFF)]
        if isVersion6 { return [0x60, 0, 0, 0] + size + [6, 64] + ends + segment }
        return [0x45, 0] + size + [0, 0, 0x40, 0, 64, 6, 0, 0] + ends + segment
    }

    private var linkHead: [UInt8] {
        switch link {
        case 1: [UInt8](repeating: 2, count: 12) + [0x81, 0, 0, 7, 0x08, 0x00]
        case 0: [2, 0, 0, 0]
        case 113: [UInt8](repeating: 0, count: 16)
        case 276: [UInt8](repeating: 0, count: 20)
        default: []
        }
    }
}
