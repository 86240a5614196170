import Determinism

/// Repeatable noise for the doors.
struct Noise {
    private let random: SeededRandomSource

    init(seed: UInt64) { random = SeededRandomSource(seed: seed) }

    func number(_ range: ClosedRange<UInt32>) -> Int { Int(random.number(in: range)) }

    func bytes(_ most: UInt32) -> [UInt8] { random.bytes(number(0...most)) }

    /// Good input with a few bytes changed, taken out or put in.
    func mutated(_ good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0..<number(1...3) {
            let index = number(0...UInt32(bytes.count))
            switch number(0...2) {
            case 0 where index < bytes.count: bytes[index] = random.bytes(1)[0]
            case 1 where index < bytes.count: bytes.remove(at: index)
            default: bytes.insert(random.bytes(1)[0], at: index)
            }
        }
        return bytes
    }
}
