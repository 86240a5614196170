import Determinism
import Money

/// The source of fake values.
public struct FakeSource: Sendable {
    /// Nil for empty values.
    private let random: (any RandomSource)?

    public static let empty = FakeSource(random: nil)

    public init(seed: UInt64) { random = SeededRandomSource(seed: seed) }

    private init(random: (any RandomSource)?) { self.random = random }

    /// Returns a number below `limit`; 0 from an empty source.
    public mutating func index(below limit: UInt32) -> Int {
        random.map { Int($0.number(in: 0...max(1, limit) - 1)) } ?? 0
    }

    public mutating func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[index(below: UInt32(elements.count))]
    }

    mutating func number() -> Int64 {
        guard let random else { return 0 }
        return random.bytes(8).reduce(0) { $0 << 8 | Int64($1) } >> Int64(index(below: 64))
    }

    /// Returns a word; empty from an empty source.
    public mutating func word() -> String { random == nil ? "" : "word-\(index(below: 1_000_000))" }

    mutating func text() -> String {
        element(of: ["", "a", "Ärger", "naïve 🧾", "'; DROP TABLE \"order\"; --", "100%_", "\"\\\n\t\u{1}", "null"])
            .map { index(below: 2) == 0 ? $0 : $0 + word() } ?? ""
    }

    mutating func decimal() -> ExactDecimal {
        guard let random else { return .zero }
        let coefficient = random.bytes(16).reduce(Int128(0)) { $0 << 8 | Int128($1) }
        // At most 38 digits.
        let limited = (coefficient >> Int128(index(below: 127))) % 100_000_000_000_000_000_000_000_000_000_000_000_000
        return ExactDecimal(coefficient: limited, scale: index(below: 39))
    }
}
