import Foundation
import Settings
import Testing
import TillConfiguration

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

@Suite("Damaged configurations")
struct TillConfigurationFuzzTests {
    private let lines: [String]

    init() throws {
        let url = documentation.appending(path: "examples/till.yaml")
        lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.drop { $0 == " " }.hasPrefix("#") && $0 != "  - ca-keys.yaml" }
            .map(String.init)
    }

    /// Either a configuration, or an error on a line of the file.
    @discardableResult
    private func read(_ text: String) -> TillConfiguration? {
        do {
            return try TillConfiguration(yaml: text, file: "till.yaml")
        } catch {
            let count = text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect((1...count + 1).contains(error.location.line), "\(error)")
            #expect(!error.description.contains("\n"))
            return nil
        }
    }

    @Test func `the example without one of its lines is rejected, or printed unchanged`() throws {
        #expect(read(lines.joined(separator: "\n")) != nil)
        var (refused, taken) = (0, 0)
        for index in lines.indices {
            if let till = read((lines[..<index] + lines[(index + 1)...]).joined(separator: "\n")) {
                taken += 1
                // Printing and reading it back takes the most time.
                if taken.isMultiple(of: 3) {
                    #expect(try TillConfiguration(yaml: till.yaml, file: "printed.yaml") == till)
                }
            } else {
                refused += 1
            }
        }
        #expect(refused > 10 && taken > 10)
    }

    @Test func `truncated examples are parsed or rejected`() {
        for count in stride(from: 0, to: lines.count, by: 2) { read(lines[..<count].joined(separator: "\n")) }
    }

    @Test func `mutated examples are parsed or rejected`() {
        var generator = Generator(state: 7)
        let spice = Array(
            "\t\n \u{0}\u{85}\u{2028}\u{FEFF}&*!|>%@`'\"{}[],:?-#~\\.0123456789AFxé\u{1F600}".unicodeScalars)
        let original = Array(lines.joined(separator: "\n").unicodeScalars)
        for _ in 0..<100 {
            var scalars = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<scalars.count, using: &generator)
                let scalar = spice.randomElement(using: &generator) ?? " "
                switch Int.random(in: 0...2, using: &generator) {
                case 0: scalars[index] = scalar
                case 1: scalars.insert(scalar, at: index)
                default: scalars.remove(at: index)
                }
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            read(String(text))
        }
    }

    @Test func `values of every size and type are parsed or rejected at every key`() {
        let values = [
            "-1", "0", "99999999999999999999999999", "1.", "\u{661}", "true", "[]", "{}", "''", "\"\\0\"",
            "\"\\u2028\"",
            String(repeating: "9", count: 5000), String(repeating: "ﷺ", count: 300),
        ]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), line[colon...].count > 2 else { continue }
            guard let index = lines.firstIndex(of: line) else { continue }
            for value in values {
                var changed = lines
                changed[index] = line[...colon] + " " + value
                // The rest of the file is what takes the time: the lines of the same section are enough.
                let first = lines[...index].lastIndex { $0.first?.isLetter == true } ?? 0
                let last = lines[(index + 1)...].firstIndex { $0.first?.isLetter == true } ?? lines.endIndex
                read(changed[first..<last].joined(separator: "\n"))
            }
        }
    }
}
