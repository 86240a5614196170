internal import Determinism

/// Draws from a source of random bytes, in the shapes that a store needs.
struct Chance {
    let source: any RandomSource

    func number(_ range: ClosedRange<Int>) -> Int {
        guard let span = UInt32(exactly: range.upperBound - range.lowerBound) else { return range.lowerBound }
        return range.lowerBound + Int(source.number(in: 0...span))
    }

    /// Whether something that happens in `percent` of all cases happens.
    func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

    func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[number(0...(list.count - 1))] }

    func pick<Element>(_ first: Element, _ others: Element...) -> Element { pick([first] + others) ?? first }

    /// One of `choices`, each as likely as its weight.
    func weighted<Element>(_ first: Element, _ choices: [(Element, Int)]) -> Element {
        var drawn = number(1...max(1, choices.reduce(0) { $0 + $1.1 }))
        for (element, weight) in choices {
            drawn -= weight
            if drawn <= 0 { return element }
        }
        return first
    }

    func hexadecimal(_ digits: Int) -> String { text(digits, Array("0123456789abcdef")) }

    func letters(_ count: Int) -> String {
        text(count, Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"))
    }

    /// A random UUID (RFC 9562 §5.4).
    func uuid() -> String {
        let digits = Array(hexadecimal(30))
        let variant = pick("8", "9", "a", "b")
        return String(digits[0..<8]) + "-" + String(digits[8..<12]) + "-4" + String(digits[12..<15]) + "-" + variant
            + String(digits[15..<18]) + "-" + String(digits[18..<30])
    }

    private func text(_ count: Int, _ alphabet: [Character]) -> String {
        String(source.bytes(count * 2).chunked.map { alphabet[$0 % alphabet.count] })
    }
}

extension [UInt8] {
    /// Pairs of bytes as numbers: with so many values no letter is noticeably likelier than another.
    fileprivate var chunked: [Int] {
        stride(from: 0, to: count - 1, by: 2).map { Int(self[$0]) << 8 | Int(self[$0 + 1]) }
    }
}
