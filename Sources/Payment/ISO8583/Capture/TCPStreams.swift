/// One direction of a TCP connection: what one side sent to the other.
public struct TCPStream: Hashable, Sendable {
    /// For example `10.0.0.1:40000 → 10.0.0.2:8583`.
    public let name: String
    /// The bytes in order, from the first one that was recorded.
    public internal(set) var bytes: [UInt8] = []
    /// Whether bytes are missing behind these. What follows them is left out.
    public internal(set) var hasGap = false
    /// The number of the first packet, from 1.
    public let firstPacket: Int
}

extension PacketCapture {
    /// The most bytes of all streams together.
    private static let mostBytes = 256 << 20

    /// The streams of the recording, in the order of their first packets. Repeated, overlapping, and reordered segments
    /// are put into their order.
    public func streams() -> [TCPStream] {
        var assembler = StreamAssembler(limit: Self.mostBytes)
        for (number, packet) in packets.enumerated() {
            guard let segment = segment(packet) else { continue }
            assembler.add(segment, bytes, packet: number + 1)
        }
        return assembler.finished()
    }

    private func segment(_ packet: Packet) -> TCPSegment? {
        let (start, end) = (packet.bytes.lowerBound, packet.bytes.upperBound)
        func two(_ at: Int) -> Int { at + 1 < end ? Int(bytes[at]) << 8 | Int(bytes[at + 1]) : 0 }
        switch packet.linkType {
        case 1:
            var at = start + 12
            while two(at) == 0x8100 || two(at) == 0x88A8 { at += 4 }
            guard two(at) == 0x0800 || two(at) == 0x86DD else { return nil }
            return network(at + 2, end)
        case 0, 108: return network(start + 4, end)
        case 12, 14, 101, 228, 229: return network(start, end)
        case 113: return network(start + 16, end)
        case 276: return network(start + 20, end)
        default: return nil
        }
    }

    private func network(_ start: Int, _ end: Int) -> TCPSegment? {
        guard start < end else { return nil }
        switch bytes[start] >> 4 {
        case 4:
            let head = Int(bytes[start] & 0xF) * 4
            guard head >= 20, start + head <= end, bytes[start + 9] == 6 else { return nil }
            // A fragment has no whole segment.
            guard bytes[start + 6] & 0x3F == 0, bytes[start + 7] == 0 else { return nil }
            let total = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
            // Zero: the network card cut the segments later.
            let last = total == 0 ? end : min(end, start + total)
            return transport(start + head, last, start + 12..<start + 16, start + 16..<start + 20)
        case 6:
            guard start + 40 <= end else { return nil }
            let total = Int(bytes[start + 4]) << 8 | Int(bytes[start + 5])
            var (next, at) = (bytes[start + 6], start + 40)
            // Options: hop by hop, routing, destination.
            while next == 0 || next == 43 || next == 60, at + 8 <= end {
                next = bytes[at]
                at += 8 + Int(bytes[at + 1]) * 8
            }
            guard next == 6 else { return nil }
            let last = total == 0 ? end : min(end, start + 40 + total)
            return transport(at, last, start + 8..<start + 24, start + 24..<start + 40)
        default: return nil
        }
    }

    private func transport(_ start: Int, _ end: Int, _ from: Range<Int>, _ to: Range<Int>) -> TCPSegment? {
        guard start + 20 <= end else { return nil }
        let head = Int(bytes[start + 12] >> 4) * 4
        guard head >= 20, start + head <= end else { return nil }
        func port(_ at: Int) -> UInt16 { UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]) }
        let number = bytes[(start + 4)..<(start + 8)].reduce(0) { $0 << 8 | UInt32($1) }
        return TCPSegment(
            source: TCPSegment.End(address: Array(bytes[from]), port: port(start)),
            destination: TCPSegment.End(address: Array(bytes[to]), port: port(start + 2)), number: number,
            flags: bytes[start + 13], payload: start + head..<end)
    }
}

/// A TCP segment in a recording.
struct TCPSegment {
    struct End: Hashable, CustomStringConvertible {
        let address: [UInt8]
        let port: UInt16

        var description: String {
            guard address.count == 16 else { return "\(address.map(String.init).joined(separator: ".")):\(port)" }
            let groups = stride(from: 0, to: 16, by: 2).map { place in
                String(UInt16(address[place]) << 8 | UInt16(address[place + 1]), radix: 16)
            }
            return "[\(groups.joined(separator: ":"))]:\(port)"
        }
    }

    let source: End
    let destination: End
    let number: UInt32
    let flags: UInt8
    /// The offsets in the recording.
    let payload: Range<Int>

    var isStart: Bool { flags & 0x02 != 0 }
    var isReset: Bool { flags & 0x04 != 0 }
}

/// Puts segments into their order.
private struct StreamAssembler {
    private struct Direction: Hashable {
        let source: TCPSegment.End
        let destination: TCPSegment.End
    }

    private struct State {
        /// The place in the list of streams.
        var stream: Int
        /// The number of the next byte.
        var next: UInt32
        /// Segments that came too early.
        var waiting: [(number: UInt32, bytes: [UInt8])] = []
    }

    /// The most segments that wait for a missing one.
    private static let mostWaiting = 1000

    let limit: Int
    private var stored = 0
    private var streams: [TCPStream] = []
    private var states: [Direction: State] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func add(_ segment: TCPSegment, _ bytes: [UInt8], packet: Int) {
        let direction = Direction(source: segment.source, destination: segment.destination)
        if segment.isStart || states[direction] == nil {
            // The same two ends again are a new connection; a repeated first segment is not.
            let first = segment.isStart ? segment.number &+ 1 : segment.number
            if segment.isStart, let state = states[direction], state.next == first, streams[state.stream].bytes.isEmpty
            {
                return
            }
            finish(direction)
            guard segment.isStart || !segment.payload.isEmpty else { return }
            states[direction] = State(stream: streams.count, next: first)
            streams.append(
                TCPStream(name: "\(segment.source) → \(segment.destination)", firstPacket: packet))
        }
        guard !segment.payload.isEmpty, !segment.isReset, stored + segment.payload.count <= limit,
            var state = states[direction]
        else { return }
        let number = segment.isStart ? segment.number &+ 1 : segment.number
        take(&state, number, bytes[segment.payload])
        var moved = true
        while moved {
            moved = false
            for (place, early) in state.waiting.enumerated() where Int32(bitPattern: early.number &- state.next) <= 0 {
                state.waiting.remove(at: place)
                take(&state, early.number, early.bytes[...])
                moved = true
                break
            }
        }
        states[direction] = state
    }

    private mutating func take(_ state: inout State, _ number: UInt32, _ payload: ArraySlice<UInt8>) {
        let ahead = Int(Int32(bitPattern: number &- state.next))
        guard ahead <= 0 else {
            if state.waiting.count < Self.mostWaiting {
                state.waiting.append((number, Array(payload)))
                stored += payload.count
            }
            return
        }
        // What came before came already.
        let fresh = payload.dropFirst(-ahead)
        streams[state.stream].bytes += fresh
        stored += fresh.count
        state.next = state.next &+ UInt32(truncatingIfNeeded: fresh.count)
    }

    private mutating func finish(_ direction: Direction) {
        guard let state = states.removeValue(forKey: direction) else { return }
        streams[state.stream].hasGap = !state.waiting.isEmpty
    }

    mutating func finished() -> [TCPStream] {
        for direction in Array(states.keys) { finish(direction) }
        return streams.filter { !$0.bytes.isEmpty || $0.hasGap }
    }
}
