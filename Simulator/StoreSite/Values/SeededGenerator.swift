import Cryptography
import Determinism
import Text

/// Random values from a seeded source, in the forms that a store needs.
struct SeededGenerator {
    let source: any RandomSource

    func number(_ range: ClosedRange<Int>) -> Int {
        guard let span = UInt32(exactly: range.upperBound - range.lowerBound) else { return range.lowerBound }
        return range.lowerBound + Int(source.number(in: 0...span))
    }

    /// Returns true in `percent` of all cases.
    func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

    func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[number(0...(list.count - 1))] }

    func pick<Element>(_ first: Element, _ others: Element...) -> Element { pick([first] + others) ?? first }

    /// Returns one of `choices` with a probability proportional to its weight.
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

    /// Returns a random UUID (RFC 9562 §5.4).
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
    /// Pairs of bytes as numbers, wide enough that no letter is noticeably more likely than another.
    fileprivate var chunked: [Int] {
        stride(from: 0, to: count - 1, by: 2).map { Int(self[$0]) << 8 | Int(self[$0 + 1]) }
    }
}

/// A password or token of the simulated site. It has no textual form.
public struct SitePassword: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let text: String

    /// Hides a text that must not be printed.
    public init(_ text: String) { self.text = text }

    public var description: String { "••••" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }

    func matches(_ other: some StringProtocol) -> Bool { text == other }

    /// Returns the HMAC of a message in Base64, with the secret and `suffix` as its key; nil if libcrypto fails.
    func signature(of message: [UInt8], hash: HMAC.Hash = .sha256, suffix: String = "") -> String? {
        try? HMAC.code(message, key: Array((text + suffix).utf8), hash: hash).base64
    }

    /// Compares application passwords, which are shown in groups, without their separators.
    func matchesApplicationPassword(_ other: some StringProtocol) -> Bool {
        func letters(_ text: some StringProtocol) -> [UInt8] {
            text.utf8.filter {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        }
        let own = letters(text)
        return !own.isEmpty && own == letters(other)
    }
}

/// The visitors of a site by day: reproducible, with fewer at night and more on weekends.
struct Traffic: Hashable, Sendable {
    let seed: UInt64

    /// Returns the visitors and page views of a local hour, counted from 1970-01-01T00.
    func hour(_ index: Int64) -> (visitors: Int64, views: Int64) {
        var word = seed &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        word ^= word >> 31
        let hour = ((index % 24) + 24) % 24
        let isNight = hour < 7
        let visitors = Int64(word % (isNight ? 2 : 6))
        return (visitors, visitors * Int64(1 + word >> 32 % 4))
    }

    /// Returns the visitors and page views of a range of hours; of more than ten years only the last ten.
    func hours(_ range: Range<Int64>) -> (visitors: Int64, views: Int64) {
        var sum = (visitors: Int64(0), views: Int64(0))
        for index in range.suffix(87_840) {
            let hour = hour(index)
            sum = (sum.visitors + hour.visitors, sum.views + hour.views)
        }
        return sum
    }
}
