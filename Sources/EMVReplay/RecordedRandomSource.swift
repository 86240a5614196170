internal import Determinism
internal import Synchronization

/// Draws the recorded unpredictable number where the kernel draws one, and seeded numbers otherwise.
final class RecordedRandomSource: RandomSource {
    private let unpredictableNumber: [UInt8]?
    private let seeded: any RandomSource
    private let drawn = Mutex(0)

    /// How often the kernel may begin with another application. What asks for four bytes more often does not
    /// want an unpredictable number, and may not get the same bytes for ever.
    private static let limit = 16

    init(unpredictableNumber: [UInt8]?, seed: UInt64) {
        self.unpredictableNumber = unpredictableNumber
        seeded = SeededRandomSource(seed: seed)
    }

    func bytes(_ count: Int) -> [UInt8] {
        let isFresh = drawn.withLock { drawn in
            drawn += 1
            return drawn <= Self.limit
        }
        if count == 4, isFresh, let unpredictableNumber { return unpredictableNumber }
        return seeded.bytes(count)
    }

    func stream(_ label: String) -> any RandomSource { seeded.stream(label) }
}
