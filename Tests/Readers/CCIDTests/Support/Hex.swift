/// Bytes from hexadecimal digits; spaces are for the eye.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}

/// Seeded random numbers, for repeatable fuzzing.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

    /// Every truncation of `good`, copies with a few bytes changed, and plain noise.
    mutating func mutations(of good: [UInt8], count: Int) -> [[UInt8]] {
        var all = (0...good.count).map { Array(good.prefix($0)) }
        for _ in 0..<count {
            var copy = good
            for _ in 0..<Int.random(in: 1...4, using: &self) where !copy.isEmpty {
                copy[Int.random(in: copy.indices, using: &self)] = UInt8.random(in: 0...255, using: &self)
            }
            all += [
                copy, copy + bytes(Int.random(in: 0...8, using: &self)), bytes(Int.random(in: 0...80, using: &self)),
            ]
        }
        return all
    }
}
