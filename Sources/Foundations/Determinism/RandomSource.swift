import Synchronization

/// The source of random bytes. Code draws random numbers only through it.
public protocol RandomSource: Sendable {
    /// Returns `count` random bytes.
    func bytes(_ count: Int) -> [UInt8]

    /// Returns an independent source for one purpose, so that draws in one part of a program do not change the numbers
    /// in another part.
    func stream(_ label: String) -> any RandomSource
}

extension RandomSource {
    /// Returns a random integer, uniformly distributed over `range`.
    public func number(in range: ClosedRange<UInt32>) -> UInt32 {
        let span = UInt64(range.upperBound - range.lowerBound) + 1
        // Numbers above the last whole multiple of the span would favor the low results.
        let limit = (UInt64(UInt32.max) + 1) / span * span
        while true {
            let drawn = bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if drawn < limit { return range.lowerBound + UInt32(drawn % span) }
        }
    }
}

/// Cryptographically secure random bytes of the operating system.
public struct SystemRandomSource: RandomSource {
    /// Draws from the generator of the system.
    public init() {}

    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<max(0, count)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    public func stream(_ label: String) -> any RandomSource { self }
}

/// Repeatable random bytes: the same seed and label give the same bytes. For simulation only, never
/// for secrets.
public final class SeededRandomSource: RandomSource {
    private let seed: UInt64
    private let state: Mutex<UInt64>

    /// Begins the sequence of a seed.
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
        // Mixed again: otherwise a nested stream with the same label would repeat the first source.
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
