import Determinism

/// A card number that must not be revealed, with its expiration date and a PIN, in the formats in which people, hosts,
/// and stores write such things down.
final class Canary {
    /// Random numbers for choices around it.
    struct Generator: RandomNumberGenerator {
        let source: any RandomSource

        mutating func next() -> UInt64 { source.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
    }

    var generator: Generator
    /// 13 to 19 digits with the right check digit.
    let number: String
    private let month: String
    private let year: String
    /// Six digits.
    private let pin: String

    init(_ source: any RandomSource) {
        var generator = Generator(source: source)
        var digits = (0..<Int.random(in: 12...18, using: &generator)).map { _ in
            Int.random(in: 1...9, using: &generator)
        }
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.offset.isMultiple(of: 2) ? digit.element * 2 : digit.element
            return sum + value / 10 + value % 10
        }
        digits.append((10 - sum % 10) % 10)
        number = digits.map(String.init).joined()
        let month = Int.random(in: 1...12, using: &generator)
        self.month = (month < 10 ? "0" : "") + String(month)
        year = String(Int.random(in: 60...99, using: &generator))
        pin = String(Int.random(in: 600_000...999_999, using: &generator))
        self.generator = generator
    }

    /// One of the forms.
    func text() -> String {
        switch Int.random(in: 0...9, using: &generator) {
        case 0: "card \(number) was read"
        case 1: grouped()
        case 2: "Kundenkarte \(grouped()), gültig bis \(month)/\(year)"
        case 3: "\(month)/\(year) \(grouped()) PIN \(pin)"
        case 4: ";\(number)=\(year)\(month)2011143804400000?"
        case 5: "\(number)D\(year)\(month)2011143804400000"
        case 6: "%B\(number)^CARD/TEST^\(year)\(month)2011143804400000?"
        case 7: marked()
        case 8: inOtherDigits()
        default: "\(inControls()) exp 20\(year)-\(month)"
        }
    }

    /// Whether a line reveals five digits of the number in a row, the expiration date, or the PIN, in digits of any
    /// script. Of what stands between two digits of the number there are at most two characters, and no letter.
    func isTold(by line: Substring) -> Bool {
        let parts = (0...(number.count - 5)).map { String(number.dropFirst($0).prefix(5)) }
        return Self.runs(of: line).contains { run in parts.contains { run.contains($0) } }
            || [
                "\(month)/\(year)", "20\(year)-\(month)", "=\(year)\(month)", "D\(year)\(month)2", "^\(year)\(month)",
                pin,
            ]
            .contains { line.contains($0) }
    }

    private static func runs(of line: Substring) -> [String] {
        var (runs, gap) = ([""], 0)
        for scalar in line.unicodeScalars {
            if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
                if gap > 2 { runs.append("") }
                runs[runs.count - 1] += String(Int(value))
                gap = 0
            } else {
                gap += scalar.properties.isAlphabetic || scalar == "*" ? 3 : 1
            }
        }
        return runs
    }

    /// With blanks and hyphens of all kinds in random places.
    private func grouped() -> String {
        let gaps = [
            " ", "-", "  ", "- ", "\u{A0}", "\u{2009}", "\u{202F}", "–", "\u{2011}", "\u{200B}", "\u{2060}", "\u{3000}",
        ]
        var text = ""
        for digit in number {
            text.append(digit)
            if Int.random(in: 0...2, using: &generator) == 0 { text += gaps.randomElement(using: &generator) ?? " " }
        }
        return text
    }

    /// In groups of four with another mark between them.
    private func marked() -> String {
        let mark = [".", "/", "_", ":", ",", "|", "+", "·", "\t", "\n"].randomElement(using: &generator) ?? "."
        var text = ""
        for (index, digit) in number.enumerated() {
            if index > 0, index.isMultiple(of: 4), number.count - index >= 4 { text += mark }
            text.append(digit)
        }
        return text
    }

    /// Arabic, Devanagari and fullwidth digits.
    private func inOtherDigits() -> String {
        let zeros: [UInt32] = [0x660, 0x966, 0xFF10]
        let zero = zeros.randomElement(using: &generator) ?? 0x660
        let scalars = number.utf8.compactMap { Unicode.Scalar(zero + UInt32($0) - 0x30) }
        return String(String.UnicodeScalarView(scalars))
    }

    /// With what a printer would obey, and marks of the reading direction, between the digits.
    private func inControls() -> String {
        let marks = ["\u{0}", "\u{7}", "\u{1B}", "\u{200E}", "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{9B}"]
        return number.map { "\($0)" + (marks.randomElement(using: &generator) ?? "") }.joined()
    }
}
