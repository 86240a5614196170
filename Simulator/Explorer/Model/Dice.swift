internal import Determinism

/// Chance, as the fault model uses it.
struct Dice: Sendable {
    private let source: any RandomSource

    init(_ source: any RandomSource) { self.source = source }

    /// A whole number, each equally likely.
    func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(source.number(in: 0...UInt32(clamping: range.upperBound - range.lowerBound)))
    }

    /// Whether something happens that happens so often of a hundred times.
    func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// One of these, each equally likely.
    func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        let place = number(0...others.count)
        return place == 0 ? first : others[place - 1]
    }

    /// One of a list; nil of an empty one.
    func pick<Value>(of values: [Value]) -> Value? {
        values.isEmpty ? nil : values[number(0...values.count - 1)]
    }

    /// One of these, as likely as its weight, 1 and up, says.
    func pick<Value>(weighted values: [(Int, Value)]) -> Value? {
        let sum = values.reduce(0) { $0 + max(1, $1.0) }
        guard sum > 0 else { return nil }
        var rest = number(1...sum)
        for (weight, value) in values {
            rest -= max(1, weight)
            if rest <= 0 { return value }
        }
        return nil
    }
}
