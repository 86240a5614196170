/// Conceals digits that may be a PAN in a text that a person typed or a file contains, such as the text of an error.
///
/// A number that was mistyped is as secret as the right one, so the check digit decides only where other numbers are
/// common. Concealed are:
///
/// * every run of at least 13 digits after its leading zeros;
/// * a run of 12 digits with a valid check digit;
/// * groups of digits with punctuation between them, when they have the layout of a card (4-4-4-4, 4-6-5, …);
/// * 12 to 19 digits with a valid check digit in groups with blanks, dashes, or underscores between them, or with any
///   other punctuation that is the same everywhere: `4.761.739.001.010.010`. Dates and addresses of the Internet stay.
///
/// Every digit is concealed, also the last four: they may be those of a card verification value behind the number.
public enum CardNumberMask {
    /// The digits of a PAN: 8 to 19 are allowed, and fewer than 12 are not in use.
    private static let lengths = 12...19
    /// Shorter runs are amounts, dates, and numbers of orders.
    private static let certainLength = 13
    /// Groups are at most this many characters apart.
    private static let widestGap = 3
    /// Fewer digits of a number say nothing about it, and are in many texts.
    private static let shortestPart = 4

    /// The digits of each group on a card.
    private static let layouts: [[Int]] = [
        [4, 4, 4, 4], [4, 6, 5], [4, 6, 4], [4, 4, 5], [4, 4, 4, 1], [4, 4, 4, 2], [4, 4, 4, 3], [4, 5, 6], [4, 8, 4],
        [4, 4, 4, 4, 1], [4, 4, 4, 4, 2], [4, 4, 4, 4, 3], [4, 4, 4, 5], [4, 4, 4, 6], [4, 4, 4, 7], [8, 8], [6, 13],
        [6, 10], [6, 9], [8, 5], [8, 11],
    ]

    /// A run of digits.
    private struct Run {
        /// Its place among the scalars of the text.
        var range: Range<Int>
        /// The values, 0...9.
        var digits: [UInt8]
        /// What precedes it in its row; empty for the first.
        var gap: [Unicode.Scalar] = []

        /// The number that the digits are.
        var value: Int { digits.reduce(0) { ($0 &* 10) &+ Int($1) } }
    }

    /// Returns the text with `*` for each digit that may belong to a PAN, also where the text repeats a part of it.
    /// Every other character stays.
    public static func masked(_ text: String) -> String { masked(text, besides: "") }

    /// Returns the text masked, also where it repeats a part of a PAN in another text, as the advice that follows a
    /// message does.
    public static func masked(_ text: String, besides other: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let concealed = concealNumbers(of: other) + concealNumbers(in: &scalars)
        guard !concealed.isEmpty else { return text }
        concealParts(of: concealed, in: &scalars)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func concealNumbers(of text: String) -> [UInt8] {
        var scalars = Array(text.unicodeScalars)
        return concealNumbers(in: &scalars)
    }

    /// Conceals the digits of each PAN.
    ///
    /// - Returns: The digits.
    private static func concealNumbers(in scalars: inout [Unicode.Scalar]) -> [UInt8] {
        // Most texts have too few digits, and need no more work.
        guard scalars.count(where: { digit($0) != nil }) >= lengths.lowerBound else { return [] }
        let original = scalars
        for row in rows(of: scalars) {
            for run in row where isCardNumber(run) { conceal(run.range, in: &scalars) }
            for first in row.indices {
                var digits: [UInt8] = []
                for last in first..<row.count {
                    digits += row[last].digits
                    guard digits.count <= lengths.upperBound else { break }
                    guard last > first, lengths.contains(digits.count), digits.first != 0 else { continue }
                    let group = row[first...last]
                    guard layouts.contains(group.map(\.digits.count)) || isGroupedNumber(group, digits) else {
                        continue
                    }
                    for run in group { conceal(run.range, in: &scalars) }
                }
            }
        }
        return zip(original, scalars).compactMap { $0 == $1 ? nil : digit($0) }
    }

    /// Conceals groups of digits that are a part of these.
    private static func concealParts(of number: [UInt8], in scalars: inout [Unicode.Scalar]) {
        for row in rows(of: scalars) {
            for first in row.indices {
                var digits: [UInt8] = []
                for last in first..<row.count {
                    digits += row[last].digits
                    guard digits.count <= number.count else { break }
                    guard digits.count >= shortestPart, number.contains(digits) else { continue }
                    for run in row[first...last] { conceal(run.range, in: &scalars) }
                }
            }
        }
    }

    /// Returns words with `*` for each digit that may belong to a PAN, also to one that is spread over several words.
    public static func masked(words: [String]) -> [String] {
        var masked = masked(words.joined(separator: " ")).unicodeScalars[...]
        return words.map { word in
            // Masking keeps the number of scalars.
            let own = masked.prefix(word.unicodeScalars.count)
            masked = masked.dropFirst(word.unicodeScalars.count + 1)
            return String(String.UnicodeScalarView(own))
        }
    }

    /// Returns the runs of digits; those in one row have only separators between them.
    private static func rows(of scalars: [Unicode.Scalar]) -> [[Run]] {
        var rows: [[Run]] = []
        // Nil after anything but a separator.
        var gap: [Unicode.Scalar]?
        for (place, scalar) in scalars.enumerated() {
            guard let digit = digit(scalar) else {
                gap = isSeparator(scalar) ? gap.map { $0 + [scalar] } : nil
                if let width = gap?.count, width > widestGap { gap = nil }
                continue
            }
            guard let between = gap else {
                rows.append([Run(range: place..<place + 1, digits: [digit])])
                gap = []
                continue
            }
            let (row, run) = (rows.count - 1, rows[rows.count - 1].count - 1)
            if between.isEmpty {
                rows[row][run].range = rows[row][run].range.lowerBound..<place + 1
                rows[row][run].digits.append(digit)
            } else {
                rows[row].append(Run(range: place..<place + 1, digits: [digit], gap: between))
            }
            gap = []
        }
        return rows
    }

    /// Returns whether groups are a number because of its check digit.
    private static func isGroupedNumber(_ group: ArraySlice<Run>, _ digits: [UInt8]) -> Bool {
        guard CheckDigit.isValid(digits) else { return false }
        let gaps = group.dropFirst().map(\.gap)
        guard !gaps.allSatisfy({ $0.allSatisfy(isBlank) }) else { return true }
        // Other punctuation is common between numbers, as in a date with its time, or an address with its port.
        return gaps.allSatisfy { $0 == gaps.first } && !isDate(group) && !isAddress(group)
    }

    /// Returns whether groups begin with a date: `2026/01/02`.
    private static func isDate(_ group: ArraySlice<Run>) -> Bool {
        let parts = group.prefix(3).map { (length: $0.digits.count, value: $0.value) }
        return parts.count == 3 && parts.map(\.length) == [4, 2, 2] && (1900...2099).contains(parts[0].value)
            && (1...12).contains(parts[1].value) && (1...31).contains(parts[2].value)
    }

    /// Returns whether groups are an address of the Internet: `192.168.100.200`.
    private static func isAddress(_ group: ArraySlice<Run>) -> Bool {
        group.count == 4
            && group.allSatisfy { $0.digits.count <= 3 && $0.value <= 255 && [[], ["."]].contains($0.gap) }
    }

    private static func isCardNumber(_ run: Run) -> Bool {
        // No card number begins with 0: identifiers such as A0000000031010 stay legible.
        let digits = run.digits.drop { $0 == 0 }
        return digits.count >= certainLength || (digits.count == lengths.lowerBound && CheckDigit.isValid(digits))
    }

    /// The value of a digit in any script.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        guard !scalar.isASCII else { return (0x30...0x39).contains(scalar.value) ? UInt8(scalar.value & 0x0F) : nil }
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return UInt8(exactly: value)
    }

    /// Returns whether people put the character between groups of digits wherever they write numbers.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar == "_" || scalar.properties.generalCategory == .spaceSeparator
            || scalar.properties.generalCategory == .dashPunctuation
    }

    /// Returns whether the character can stand between groups of digits: any but letters, digits, and line breaks.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) && !isLetter(scalar) || scalar == "\t" }
        return switch scalar.properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .openPunctuation, .closePunctuation, .connectorPunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .modifierSymbol, .otherSymbol,
            .format:
            true
        default: false
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { (0x61...0x7A).contains(scalar.value | 0x20) }

    private static func conceal(_ range: Range<Int>, in scalars: inout [Unicode.Scalar]) {
        for place in range { scalars[place] = "*" }
    }
}

/// The check digit of a PAN (ISO/IEC 7812-1 annex B).
public enum CheckDigit {
    /// Returns whether the last of these digits, one a byte with values 0...9, is the check digit of the others.
    @inlinable
    public static func isValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        var sum = 0
        for (position, digit) in digits.reversed().enumerated() {
            let weighted = position % 2 == 1 ? Int(digit) * 2 : Int(digit)
            sum += weighted > 9 ? weighted - 9 : weighted
        }
        return sum % 10 == 0
    }
}
