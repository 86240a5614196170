internal import Synchronization

/// Repeatable random bytes: the same seed and label give the same bytes. For simulation only; it is
/// no source of secrets.
public final class SeededRandomSource: RandomSource {
    private let seed: UInt64
    private let state: Mutex<UInt64>

    public init(seed: UInt64) {
        self.seed = seed
        state = Mutex(seed)
    }

    public func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(max(0, count))
            var word: UInt64 = 0
            for index in 0..<max(0, count) {
                if index % 8 == 0 { word = Self.next(&state) }
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8)))
            }
            return bytes
        }
    }

    public func stream(_ label: String) -> any RandomSource {
        // FNV-1a over the label, so that the stream depends on the seed and the label alone.
        let hash = label.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        // Mixed once more, or a stream's stream of the same label would be the first source again.
        var state = seed ^ hash
        return SeededRandomSource(seed: Self.next(&state))
    }

    // SplitMix64, by Sebastiano Vigna: a counter run through a mixing function.
    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
