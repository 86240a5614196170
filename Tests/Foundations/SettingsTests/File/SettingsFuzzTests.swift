import Testing

@testable import Settings

/// SplitMix64, so that a failure can be run again.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

struct SettingsFuzzTests {
    private let sample = """
        name: "a \\u00e9 name" # comment
        list: [1, 'two', {three: 3}]
        block: |
          text
           more
        folded: >-
          a
          b
        nested:
          - a: 1
            b: ~
          - !!str x
        """

    /// Reads everything in every way; errors are fine, traps are not.
    private func exhaust(_ node: SettingsNode) {
        _ = try? node.text()
        _ = try? node.int(in: 0...100)
        _ = try? node.bool()
        _ = try? node.hex(length: 0...8)
        for child in (try? node.list()) ?? [] { exhaust(child) }
        for entry in (try? node.entries()) ?? [] { exhaust(entry.value) }
        do { try node.mapping(allowedKeys: ["name", "list"]) } catch { #expect(!error.description.isEmpty) }
    }

    private func read(_ text: String) {
        let mistakes: [SettingsError] = SettingsDocument.mistakes(text: text, file: "f") {
            root throws(SettingsError) in try root.mapping(allowedKeys: ["name", "list"])
        }
        for mistake in mistakes { #expect(mistake.location.line >= 1 && !mistake.description.isEmpty) }
        do {
            exhaust(try SettingsDocument(text: text, file: "f").root)
        } catch {
            #expect(error.location.line >= 1 && error.location.column >= 1)
            #expect(!error.description.contains("\n"))
        }
    }

    @Test func `every truncation is parsed or rejected`() {
        for count in 0...sample.unicodeScalars.count {
            read(String(sample.unicodeScalars.prefix(count)))
        }
    }

    @Test func `mutated text is parsed or rejected`() {
        var generator = Generator(state: 1)
        let spice = Array("\t\r\n \u{0}\u{7F}\u{85}\u{FEFF}&*!|>%@`'\"{}[],:?-#~\\x9\u{1F600}".unicodeScalars)
        for _ in 0..<1_500 {
            var scalars = Array(sample.unicodeScalars)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 0..<scalars.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: scalars[index] = spice.randomElement(using: &generator) ?? " "
                case 1: scalars.insert(spice.randomElement(using: &generator) ?? " ", at: index)
                default: scalars.remove(at: index)
                }
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            read(String(text))
        }
    }

    @Test func `random bytes are parsed or rejected`() {
        var generator = Generator(state: 2)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            read(String(decoding: bytes, as: UTF8.self))
        }
    }
}
