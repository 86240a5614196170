import Determinism
import Testing

@testable import Explorer

@Suite("The search for several needles at once")
struct NeedleScanTests {
    private func found(_ needles: [String], _ text: String) -> [String] {
        NeedleScan(needles.map { Array($0.utf8) }).occurring(in: Array(text.utf8)).sorted().map { needles[$0] }
    }

    /// Whether the needle occurs, looked for at every place.
    private func occurs(_ needle: [UInt8], in text: [UInt8]) -> Bool {
        guard needle.count <= text.count else { return false }
        return (0...(text.count - needle.count)).contains { text[$0..<($0 + needle.count)].elementsEqual(needle) }
    }

    @Test("finds needles at the beginning, at the end, inside another and across each other")
    func places() {
        #expect(found(["abc", "xyz"], "abc…xyz") == ["abc", "xyz"])
        #expect(found(["abcdef", "bcd", "def"], "..abcdef") == ["abcdef", "bcd", "def"])
        #expect(found(["aab", "aba"], "aaaaba") == ["aab", "aba"])
        #expect(found(["needle"], "needl") == [])
        #expect(found(["needle", "ne"], "ne") == ["ne"])
        #expect(found(["12/2035"], "00\u{0}12/2035\u{0}") == ["12/2035"])
    }

    @Test("finds needles of one byte and empty ones, and nothing without needles")
    func short() {
        #expect(found(["", "q", "long"], "a long text") == ["", "long"])
        #expect(found(["", "x"], "") == [""])
        #expect(found([], "text") == [])
    }

    @Test("finds what a search at every place finds", arguments: 1...40 as ClosedRange<UInt64>)
    func everything(seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
        // Few different bytes make many near misses.
        let letters = [2, 3, 256][Int(seed % 3)]
        func bytes(_ count: Int) -> [UInt8] { random.bytes(count).map { UInt8(Int($0) % letters) } }
        let needles = (0..<12).map { _ in bytes(Int(random.number(in: 1...9))) }
        let scan = NeedleScan(needles)
        for count in [0, 1, 2, 5, 40, 700] {
            let text = bytes(count)
            let expected = Set(needles.indices.filter { occurs(needles[$0], in: text) })
            #expect(scan.occurring(in: text) == expected, "\(needles) in \(text)")
        }
    }

    @Test("finds needles that are longer than a step can be")
    func long() {
        let needle = String(repeating: "ab", count: 400)
        #expect(found([needle], "b" + needle) == [needle])
        #expect(found([needle], String(needle.dropLast())) == [])
    }
}
