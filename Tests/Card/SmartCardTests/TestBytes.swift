/// Bytes written as hexadecimal digits, blanks allowed.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 0xF, radix: 16, uppercase: true) }.joined()
}

/// Repeatable chance for tests (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// Valid input with a few bytes changed, removed, or inserted.
    mutating func mutated(_ good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0..<number(1...3) {
            let index = number(0...max(0, bytes.count - 1))
            switch number(0...2) {
            case 0 where !bytes.isEmpty: bytes[index] = UInt8(number(0...255))
            case 1 where !bytes.isEmpty: bytes.remove(at: index)
            default: bytes.insert(UInt8(number(0...255)), at: min(index, bytes.count))
            }
        }
        return bytes
    }
}
